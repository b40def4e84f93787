SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.demand_next_position() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        DECLARE
            lowest bigint;
            highest bigint;
            added bigint;
        BEGIN
            SELECT min(position), max(position), count(*) INTO lowest, highest, added
                FROM added_event;
            IF added > 0 AND (
                highest - lowest + 1 <> added
                OR highest <> (SELECT max(position) FROM event)
                OR lowest <> 1 + coalesce(
                    (SELECT max(position) FROM event WHERE position < lowest), 0)
            ) THEN
                RAISE EXCEPTION 'events must follow the last one'
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NULL;
        END $$;
CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME
                USING ERRCODE = 'integrity_constraint_violation';
        END $$;
CREATE TABLE public.branch (
    id integer NOT NULL,
    name text NOT NULL,
    parent integer,
    fork_position bigint NOT NULL,
    fork_occurred_at bigint NOT NULL,
    digest bytea NOT NULL
);
CREATE TABLE public.event (
    "position" bigint NOT NULL,
    branch integer NOT NULL,
    occurred_at bigint NOT NULL,
    recorded_at bigint NOT NULL,
    type text NOT NULL,
    qmgr text NOT NULL,
    cause text,
    source text NOT NULL,
    event_id text NOT NULL,
    body text NOT NULL,
    digest bytea NOT NULL
);
CREATE TABLE public.head (
    branch integer NOT NULL,
    "position" bigint NOT NULL,
    occurred_at bigint,
    recorded_at bigint,
    digest bytea NOT NULL
);
CREATE TABLE public.late_event (
    "position" bigint NOT NULL,
    branch integer NOT NULL,
    occurred_at bigint NOT NULL,
    withdraws boolean NOT NULL,
    upto bigint NOT NULL,
    digest bytea NOT NULL
);
CREATE TABLE public.log_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.page (
    id integer NOT NULL,
    hash bytea NOT NULL,
    content bytea NOT NULL
);
CREATE SEQUENCE public.page_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.page_id_seq OWNED BY public.page.id;
CREATE TABLE public.snapshot (
    id integer NOT NULL,
    branch integer NOT NULL,
    valid bigint NOT NULL,
    "position" bigint NOT NULL,
    version integer NOT NULL,
    directory bytea NOT NULL
);
CREATE SEQUENCE public.snapshot_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.snapshot_id_seq OWNED BY public.snapshot.id;
ALTER TABLE ONLY public.page ALTER COLUMN id SET DEFAULT nextval('public.page_id_seq'::regclass);
ALTER TABLE ONLY public.snapshot ALTER COLUMN id SET DEFAULT nextval('public.snapshot_id_seq'::regclass);
INSERT INTO public.branch VALUES
	(1, 'main', NULL, 0, 0, '\x1a7c77af55b71bccb6b751e35e9269d068a8a0117ecc87f6756abd3d7d12622e');
INSERT INTO public.event VALUES
	(1, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QMS', NULL, 'command', '0006474846204000-3a36ab00aba2', '{"qmgr":"QMS","command":"crtmqm","arguments":["cmdlevel=940","platform=UNIX"]}', '\x9ff04bca4f840e3d4692a52e51c33ca684db6fac6f8f7fdc23f9179598b9a5fa'),
	(2, 1, 1767225600000000, 1767225600000000, 'QueueManagerCreated', 'QMS', '0006474846204000-3a36ab00aba2', 'rules', '0006474846204000-3a36ab00aba2.1', '{"qmgr":"QMS","qmid":"QMS_2026-01-01_00.00.00","cmdlevel":940,"platform":"UNIX"}', '\xdc2867a57a6a3de9f794e99d56614c1b1055620eb153027f7cc6a43bf6d3a8b6'),
	(3, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QMS', NULL, 'command', '0006474846204000-57e29aaeddd2', '{"qmgr":"QMS","command":"strmqm","arguments":[]}', '\x277d1d79a117e92728fdf9a6395950c114269510fa5adfaa5e7b343d8e02194d'),
	(4, 1, 1767225600000000, 1767225600000000, 'QueueManagerStarted', 'QMS', '0006474846204000-57e29aaeddd2', 'rules', '0006474846204000-57e29aaeddd2.1', '{"qmgr":"QMS"}', '\x51c57b19383adf1d5dae4119a15180d10f26e1131893589878e8c175586e9e2a'),
	(5, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QM3', NULL, 'command', '0006474846204000-5a05b0a6d6d5', '{"qmgr":"QM3","command":"crtmqm","arguments":["cmdlevel=940","platform=UNIX"]}', '\x742ec82e72421a8808754592f8a875aa18915b7a4bd5d179bea55b1fbd2ac3ee'),
	(6, 1, 1767225600000000, 1767225600000000, 'QueueManagerCreated', 'QM3', '0006474846204000-5a05b0a6d6d5', 'rules', '0006474846204000-5a05b0a6d6d5.1', '{"qmgr":"QM3","qmid":"QM3_2026-01-01_00.00.00","cmdlevel":940,"platform":"UNIX"}', '\x3e58725e1e78d34a1d986f8bf71fa5244998e6d60b0a805b2eae19b3562d3801'),
	(7, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QM3', NULL, 'command', '0006474846204000-3683e077c9b8', '{"qmgr":"QM3","command":"strmqm","arguments":[]}', '\xc96b26bb89d587517456ca6a5ded82aaf8eecbbf08f0bfda7cc9cce96576a799'),
	(8, 1, 1767225600000000, 1767225600000000, 'QueueManagerStarted', 'QM3', '0006474846204000-3683e077c9b8', 'rules', '0006474846204000-3683e077c9b8.1', '{"qmgr":"QM3"}', '\xd7c34b05387c224415a4efbcb47394d0e30e4de45b5a0babd6e8f7a9b26c15e4'),
	(9, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QM4', NULL, 'command', '0006474846204000-3ba7a97c5470', '{"qmgr":"QM4","command":"crtmqm","arguments":["cmdlevel=940","platform=UNIX"]}', '\x495563830e118a4d05cd22fd152505611dbd583f21a59a043b4150aa82b32507'),
	(10, 1, 1767225600000000, 1767225600000000, 'QueueManagerCreated', 'QM4', '0006474846204000-3ba7a97c5470', 'rules', '0006474846204000-3ba7a97c5470.1', '{"qmgr":"QM4","qmid":"QM4_2026-01-01_00.00.00","cmdlevel":940,"platform":"UNIX"}', '\x24fcfd013ff71fd94f7c69e7a0369357b9f3f35ef90a9eac97adcf11e3cb48b1'),
	(11, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QM4', NULL, 'command', '0006474846204000-79500564f57a', '{"qmgr":"QM4","command":"strmqm","arguments":[]}', '\x88f51e0f7cdf64828fdb6c0132f6f7ed77c172bdbc4147c374fe920a789ece67'),
	(12, 1, 1767225600000000, 1767225600000000, 'QueueManagerStarted', 'QM4', '0006474846204000-79500564f57a', 'rules', '0006474846204000-79500564f57a.1', '{"qmgr":"QM4"}', '\x962cda1afdb92a251f375ef244db2572e6bd7a17dcc0bde40f8751f87e9678ad'),
	(13, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QMS', NULL, 'command', '0006474846204000-3667f7a55095', '{"qmgr":"QMS","text":"ALTER QMGR REPOS(CA)"}', '\x5dd743266e86ca872dd88d43a1203d57a9eb5f9cab5c82c98946e6798748749e'),
	(14, 1, 1767225600000000, 1767225600000000, 'QueueManagerAltered', 'QMS', '0006474846204000-3667f7a55095', 'rules', '0006474846204000-3667f7a55095.1', '{"qmgr":"QMS","values":{"REPOS":"CA"}}', '\x02405f113899ba7d84e6088592209475af6a5e247e683e361cdda8164da4ade9'),
	(15, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QMS', NULL, 'command', '0006474846204000-0c089542afac', '{"qmgr":"QMS","text":"DEFINE CHANNEL(CA.QMS) CHLTYPE(CLUSRCVR) CONNAME(''qms(1414)'') CLUSTER(CA)"}', '\xbfdc65befa2113186ade09d6bed492859f1e55f8d673e61e79c5f66fa7be19a6'),
	(16, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QMS', '0006474846204000-0c089542afac', 'rules', '0006474846204000-0c089542afac.1', '{"qmgr":"QMS","kind":"CHANNEL","name":"CA.QMS","type":"CLUSRCVR","values":{"CONNAME":"qms(1414)","CLUSTER":"CA"}}', '\xb573a2150b3af7a4a137e96948da6cd0b99aa3f50d0477a01e5e3a23599c3133'),
	(17, 1, 1767225600000000, 1767225600000000, 'InformationPublished', 'QMS', '0006474846204000-0c089542afac', 'rules', '0006474846204000-0c089542afac.2', '{"qmgr":"QMS","qmid":"QMS_2026-01-01_00.00.00","cluster":"CA","sequence":1,"records":[{"kind":"qmgr","name":"CA.QMS","values":{"CONNAME":"qms(1414)","ALTERED":1767225600000000,"VERSION":"09040000","QMTYPE":"REPOS"},"deleted":false}]}', '\x7d545bd22b01e69e06cb85cf7c3e1700dd6c62dac43cdcaafafc0448c5d1529f'),
	(18, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QM3', NULL, 'command', '0006474846204000-2c0aa2cc4f84', '{"qmgr":"QM3","text":"DEFINE CHANNEL(CA.QM3) CHLTYPE(CLUSRCVR) CONNAME(''qm3(1414)'') CLUSTER(CA)"}', '\x75f52bc1b238b3ff501d7f2d1698d09aa5166983cf653e669b444d013413e274'),
	(19, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QM3', '0006474846204000-2c0aa2cc4f84', 'rules', '0006474846204000-2c0aa2cc4f84.1', '{"qmgr":"QM3","kind":"CHANNEL","name":"CA.QM3","type":"CLUSRCVR","values":{"CONNAME":"qm3(1414)","CLUSTER":"CA"}}', '\x533637b5cbb7825ba3d9864cd78d82fa6f77f4aa927ed61386ecac66b2e7466f'),
	(20, 1, 1767225600000000, 1767225600000000, 'InformationPublished', 'QM3', '0006474846204000-2c0aa2cc4f84', 'rules', '0006474846204000-2c0aa2cc4f84.2', '{"qmgr":"QM3","qmid":"QM3_2026-01-01_00.00.00","cluster":"CA","sequence":1,"records":[{"kind":"qmgr","name":"CA.QM3","values":{"CONNAME":"qm3(1414)","ALTERED":1767225600000000,"VERSION":"09040000"},"deleted":false}]}', '\x2f76a84a6cad2f57029c97416347097459c1a66bdf01735666bc1d9dd79602c0'),
	(21, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QM3', NULL, 'command', '0006474846204000-5a7fcc64e5fc', '{"qmgr":"QM3","text":"DEFINE CHANNEL(CA.QMS) CHLTYPE(CLUSSDR) CONNAME(''qms(1414)'') CLUSTER(CA)"}', '\x8300fa298d544e83165a04870cdd43fc32692eb482f591436a04f29ea117f95d'),
	(22, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QM3', '0006474846204000-5a7fcc64e5fc', 'rules', '0006474846204000-5a7fcc64e5fc.1', '{"qmgr":"QM3","kind":"CHANNEL","name":"CA.QMS","type":"CLUSSDR","values":{"CONNAME":"qms(1414)","CLUSTER":"CA"}}', '\xd71a71dba4059e26183e30fc133e13e08f5a5991ab2f0db8644e6dbc45a0ff8b'),
	(23, 1, 1767225600000000, 1767225600000000, 'ChannelStatusChanged@2', 'QM3', '0006474846204000-5a7fcc64e5fc', 'rules', '0006474846204000-5a7fcc64e5fc.2', '{"qmgr":"QM3","channel":"CA.QMS","status":"RUNNING","partner":"QMS","reason":"","observed":false,"hangs":0}', '\xeb43a905a840d78b71971280b048cb59b61a557e3d90cf14e3aca80b1cec7f5a'),
	(24, 1, 1767225600000000, 1767225600000000, 'InformationReceived', 'QMS', '0006474846204000-5a7fcc64e5fc', 'rules', '0006474846204000-5a7fcc64e5fc.3', '{"qmgr":"QMS","sender":"QM3","cluster":"CA","items":[{"owner":"QM3_2026-01-01_00.00.00","sequence":1}]}', '\xffb80d407b12f986417fb4345dad28f8e3d40360d7c753a98fef5ce2821f726a'),
	(25, 1, 1767225600000000, 1767225600000000, 'ErrorLogged', 'QMS', '0006474846204000-5a7fcc64e5fc', 'rules', '0006474846204000-5a7fcc64e5fc.4', '{"qmgr":"QMS","id":"AMQ9418","inserts":["CA"]}', '\x78e11e59aba642913c70b0104424f4e77b3a2f999a60bb0401d4edb7591141db'),
	(26, 1, 1767225600000000, 1767225600000000, 'ChannelStatusChanged@2', 'QMS', '0006474846204000-5a7fcc64e5fc', 'rules', '0006474846204000-5a7fcc64e5fc.5', '{"qmgr":"QMS","channel":"CA.QM3","status":"RUNNING","partner":"QM3","reason":"","observed":false,"hangs":0}', '\x680c69ef60a9012811585fc616359ba11239cbc27ab7563193a148afc7387a36'),
	(27, 1, 1767225600000000, 1767225600000000, 'InformationReceived', 'QM3', '0006474846204000-5a7fcc64e5fc', 'rules', '0006474846204000-5a7fcc64e5fc.6', '{"qmgr":"QM3","sender":"QMS","cluster":"CA","items":[{"owner":"QMS_2026-01-01_00.00.00","sequence":1}]}', '\x6c3d972279f4f54ec60cd2da8ceaa2902044da999be9f764c8037924df676a9d'),
	(28, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QM3', NULL, 'command', '0006474846204000-1aa34475c4ca', '{"qmgr":"QM3","text":"DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)"}', '\x91dfd18c91f3b6c30a43a353c74699cb4085abc616cda215ae95576eb7aac7b7'),
	(29, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QM3', '0006474846204000-1aa34475c4ca', 'rules', '0006474846204000-1aa34475c4ca.1', '{"qmgr":"QM3","kind":"QUEUE","name":"ORD","type":"QLOCAL","values":{"CLUSTER":"CA","DEFBIND":"NOTFIXED"}}', '\x5c1cf547fe9178f9649f5ca4536f2d2990c7ebb8316b41700f5d99ccf59d418a'),
	(30, 1, 1767225600000000, 1767225600000000, 'InformationPublished', 'QM3', '0006474846204000-1aa34475c4ca', 'rules', '0006474846204000-1aa34475c4ca.2', '{"qmgr":"QM3","qmid":"QM3_2026-01-01_00.00.00","cluster":"CA","sequence":2,"records":[{"kind":"queue","name":"ORD","values":{"DEFBIND":"NOTFIXED","ALTERED":1767225600000000,"CLUSQT":"QLOCAL"},"deleted":false}]}', '\x0ccb11105fcc39121f5c0ca1d5c1ac8eac098dc568888b1c8656f8c9e9348da5'),
	(31, 1, 1767225600000000, 1767225600000000, 'InformationReceived', 'QMS', '0006474846204000-1aa34475c4ca', 'rules', '0006474846204000-1aa34475c4ca.3', '{"qmgr":"QMS","sender":"QM3","cluster":"CA","items":[{"owner":"QM3_2026-01-01_00.00.00","sequence":2}]}', '\x1e266169157b32030e8c343ddb3ca154ae437126b1ab60b2f61a21e12864ecc8'),
	(32, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QM4', NULL, 'command', '0006474846204000-706354a71353', '{"qmgr":"QM4","text":"DEFINE CHANNEL(CA.QM4) CHLTYPE(CLUSRCVR) CONNAME(''qm4(1414)'') CLUSTER(CA)"}', '\x9fa44092026b6ea6e7e7b1c92a6e76b87ebe45251178be1133ce705296f2a2bd'),
	(33, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QM4', '0006474846204000-706354a71353', 'rules', '0006474846204000-706354a71353.1', '{"qmgr":"QM4","kind":"CHANNEL","name":"CA.QM4","type":"CLUSRCVR","values":{"CONNAME":"qm4(1414)","CLUSTER":"CA"}}', '\xc3a73b92f9eddee205418983ea49c333e58798216c009983c23a33f5bba201eb'),
	(34, 1, 1767225600000000, 1767225600000000, 'InformationPublished', 'QM4', '0006474846204000-706354a71353', 'rules', '0006474846204000-706354a71353.2', '{"qmgr":"QM4","qmid":"QM4_2026-01-01_00.00.00","cluster":"CA","sequence":1,"records":[{"kind":"qmgr","name":"CA.QM4","values":{"CONNAME":"qm4(1414)","ALTERED":1767225600000000,"VERSION":"09040000"},"deleted":false}]}', '\x0d7e29da606572ac3647095a9b0ac68ce81aa01085473146cb3a9a52d80b55f5'),
	(35, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QM4', NULL, 'command', '0006474846204000-6fdebf961f2b', '{"qmgr":"QM4","text":"DEFINE CHANNEL(CA.QMS) CHLTYPE(CLUSSDR) CONNAME(''qms(1414)'') CLUSTER(CA)"}', '\x2ad895662479ffc3b5ceca1f4c57ea37072a73bc3c724c9faa103d8d74595c77'),
	(36, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QM4', '0006474846204000-6fdebf961f2b', 'rules', '0006474846204000-6fdebf961f2b.1', '{"qmgr":"QM4","kind":"CHANNEL","name":"CA.QMS","type":"CLUSSDR","values":{"CONNAME":"qms(1414)","CLUSTER":"CA"}}', '\x20b177d76a975206ca9e59727ecd27251e14972616801393f5b7a98bb3901739'),
	(37, 1, 1767225600000000, 1767225600000000, 'ChannelStatusChanged@2', 'QM4', '0006474846204000-6fdebf961f2b', 'rules', '0006474846204000-6fdebf961f2b.2', '{"qmgr":"QM4","channel":"CA.QMS","status":"RUNNING","partner":"QMS","reason":"","observed":false,"hangs":0}', '\x57b499188ed7ed736d35010c6cfd90d07be5d1ecad4eb4c8b3a172a2fdf9ace0'),
	(38, 1, 1767225600000000, 1767225600000000, 'InformationReceived', 'QMS', '0006474846204000-6fdebf961f2b', 'rules', '0006474846204000-6fdebf961f2b.3', '{"qmgr":"QMS","sender":"QM4","cluster":"CA","items":[{"owner":"QM4_2026-01-01_00.00.00","sequence":1}]}', '\xcd5b5bbda35218a0edc58826c1ae161c3f94640b5780ac1599406ddccb799a5c'),
	(39, 1, 1767225600000000, 1767225600000000, 'ErrorLogged', 'QMS', '0006474846204000-6fdebf961f2b', 'rules', '0006474846204000-6fdebf961f2b.4', '{"qmgr":"QMS","id":"AMQ9418","inserts":["CA"]}', '\x533466395dc299c5ec7584e40c52b9dc582af32f234f75aac6ecdf22d35ee9c0'),
	(40, 1, 1767225600000000, 1767225600000000, 'ChannelStatusChanged@2', 'QMS', '0006474846204000-6fdebf961f2b', 'rules', '0006474846204000-6fdebf961f2b.5', '{"qmgr":"QMS","channel":"CA.QM4","status":"RUNNING","partner":"QM4","reason":"","observed":false,"hangs":0}', '\xd0fb0f2fc7aed2e0dca1ffd942e253b4bdf2a64f8aa4257ad20edeb7d9cf2b1d'),
	(41, 1, 1767225600000000, 1767225600000000, 'InformationReceived', 'QM4', '0006474846204000-6fdebf961f2b', 'rules', '0006474846204000-6fdebf961f2b.6', '{"qmgr":"QM4","sender":"QMS","cluster":"CA","items":[{"owner":"QMS_2026-01-01_00.00.00","sequence":1}]}', '\x924fea7952e808995b3ec93e5c658e4a6f6f7117ecc91c5ccd9243c97c6feb38'),
	(42, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QMS', NULL, 'command', '0006474846204000-703ea05edae8', '{"qmgr":"QMS","origin":{"file":"messages/reallocation.yaml","line":103,"step":1},"text":"START CHANNEL(CA.QM3)"}', '\xb087acca648c14c5766eb2454820987a0b2bbff967d1a9e054033d4964d4808a'),
	(43, 1, 1767229200000000, 1767229200000000, 'ControlCommandEntered', 'QM3', NULL, 'command', '000647491cb3e400-5518a8bdf9c3', '{"qmgr":"QM3","origin":{"file":"messages/reallocation.yaml","line":105,"step":2},"command":"endmqm","arguments":[]}', '\x2aa64aef0e058a741d510a6c9fae8f11edc3eb3b8a1fd39ee06203785fd93718'),
	(44, 1, 1767229200000000, 1767229200000000, 'QueueManagerEnded', 'QM3', '000647491cb3e400-5518a8bdf9c3', 'rules', '000647491cb3e400-5518a8bdf9c3.1', '{"qmgr":"QM3","failed":false,"listeners":[]}', '\x1403be586a334eda6ef0f59dd1bec120781f7448b86797c8b80e266a673366f7'),
	(45, 1, 1767229200000000, 1767229200000000, 'ChannelStatusChanged@2', 'QMS', '000647491cb3e400-5518a8bdf9c3', 'rules', '000647491cb3e400-5518a8bdf9c3.2', '{"qmgr":"QMS","channel":"CA.QM3","status":"RETRYING","partner":"QM3","reason":"AMQ9202","observed":false,"hangs":0}', '\xdbf19ca9b2e62ab2339ab6764669e2eb6ead03460b5f3178abe8e41158deb515'),
	(46, 1, 1767229210000000, 1767229210000000, 'PutEntered', 'QMS', NULL, 'command', '000647491d4c7a80-15847730c1a6', '{"qmgr":"QMS","origin":{"file":"messages/reallocation.yaml","line":107,"step":3},"queue":"ORD","handle":"","count":5,"bind":"asqdef","to":"","put1":false,"persistent":true,"group":"","logical_order":false,"name":"","profile":""}', '\x0b7f72fc49568261b3b592cd659c4d7738a43ead64d5c7146ff2c2725ba1d6fd'),
	(47, 1, 1767229210000000, 1767229210000000, 'MessagesPut', 'QMS', '000647491d4c7a80-15847730c1a6', 'rules', '000647491d4c7a80-15847730c1a6.1', '{"qmgr":"QMS","queue":"ORD","shares":[{"count":5,"to":"QM3_2026-01-01_00.00.00","channel":"CA.QM3","lies_on":"SYSTEM.CLUSTER.TRANSMIT.QUEUE","queue":"ORD","cluster":"CA","named":"","route":"CA.QM3","before":[0,0],"after":[5,0]}],"bind":"notfixed","handle":"","fixed":"","persistent":true,"group":"","name":"","profile":"v8","version":1}', '\xfd22c4cdd12099e9b8559776b6fcaa44ca161b0f7682fbde620ccd94709b67a7'),
	(48, 1, 1767229220000000, 1767229220000000, 'CommandEntered', 'QM4', NULL, 'command', '000647491de51100-21a1b025325c', '{"qmgr":"QM4","origin":{"file":"messages/reallocation.yaml","line":111,"step":4},"text":"DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)"}', '\x9fae776bfce3a637cf5810584f4808f94ff575283fd109a9d0a45b53178e41a5'),
	(49, 1, 1767229220000000, 1767229220000000, 'ObjectDefined', 'QM4', '000647491de51100-21a1b025325c', 'rules', '000647491de51100-21a1b025325c.1', '{"qmgr":"QM4","kind":"QUEUE","name":"ORD","type":"QLOCAL","values":{"CLUSTER":"CA","DEFBIND":"NOTFIXED"}}', '\xabc006202cfd1dafe661e350dbfa7a46f8150d8efd04bc9481bb7843556aa1d9'),
	(50, 1, 1767229220000000, 1767229220000000, 'InformationPublished', 'QM4', '000647491de51100-21a1b025325c', 'rules', '000647491de51100-21a1b025325c.2', '{"qmgr":"QM4","qmid":"QM4_2026-01-01_00.00.00","cluster":"CA","sequence":2,"records":[{"kind":"queue","name":"ORD","values":{"DEFBIND":"NOTFIXED","ALTERED":1767229220000000,"CLUSQT":"QLOCAL"},"deleted":false}]}', '\xb7524ef13c6999d35c7043daecbdab419e06bae9a2e4f63795ad56ddb31176a3'),
	(51, 1, 1767229220000000, 1767229220000000, 'InformationReceived', 'QMS', '000647491de51100-21a1b025325c', 'rules', '000647491de51100-21a1b025325c.3', '{"qmgr":"QMS","sender":"QM4","cluster":"CA","items":[{"owner":"QM4_2026-01-01_00.00.00","sequence":2}]}', '\xffba1d5f35ba7e45acad1fdf01d0390b18180ea27e8011620dd7b082ce8982fd'),
	(52, 1, 1767229220000000, 1767229220000000, 'ChannelRetryAwaited', 'QMS', '000647491de51100-21a1b025325c', 'rules', '000647491de51100-21a1b025325c.4', '{"qmgr":"QMS","channel":"CA.QM3","at":1767229260000000,"reason":""}', '\x3f2cf78f76fb7a7882235c884a6f6baef09c4a8c71e3d96b3b7157f1313526b1'),
	(53, 1, 1767229220000000, 1767229220000000, 'PutEntered', 'QMS', NULL, 'command', '000647491de51100-36c72bc7cb0e', '{"qmgr":"QMS","origin":{"file":"messages/reallocation.yaml","line":114,"step":5},"queue":"ORD","handle":"","count":1,"bind":"asqdef","to":"","put1":false,"persistent":true,"group":"","logical_order":false,"name":"","profile":""}', '\x4b025581e78c99ce6d23150c07f3e7173c5f1a110bf7fc7bbfd27aa5fd337b7f'),
	(54, 1, 1767229220000000, 1767229220000000, 'MessagesPut', 'QMS', '000647491de51100-36c72bc7cb0e', 'rules', '000647491de51100-36c72bc7cb0e.1', '{"qmgr":"QMS","queue":"ORD","shares":[{"count":1,"to":"QM4_2026-01-01_00.00.00","channel":"CA.QM4","lies_on":"SYSTEM.CLUSTER.TRANSMIT.QUEUE","queue":"ORD","cluster":"CA","named":"","route":"CA.QM4","before":[0,0],"after":[6,0]}],"bind":"notfixed","handle":"","fixed":"","persistent":true,"group":"","name":"","profile":"v8","version":1}', '\x48042fd6470e4fee4d346acf3fdc2d6c10eac927ab49b39858de44ffddc12126'),
	(55, 1, 1767229220000000, 1767229220000000, 'MessagesSent', 'QMS', '000647491de51100-36c72bc7cb0e', 'rules', '000647491de51100-36c72bc7cb0e.2', '{"qmgr":"QMS","channel":"CA.QM4","queue":"SYSTEM.CLUSTER.TRANSMIT.QUEUE","count":1,"fast":false,"over":""}', '\xa4ccebf2977d4346b72d5829ecd56c5008e66941f606575e4eecb22b3076903c'),
	(56, 1, 1767229220000000, 1767229220000000, 'MessagesArrived', 'QM4', '000647491de51100-36c72bc7cb0e', 'rules', '000647491de51100-36c72bc7cb0e.3', '{"qmgr":"QM4","sender":"QMS","channel":"CA.QM4","queue":"ORD","parcels":[{"put":54,"count":1,"queue":"ORD","at":1767229220000000,"by":"QMS","to":"QM4_2026-01-01_00.00.00","channel":"CA.QM4","cluster":"CA","fixed":"","persistent":true,"group":"","name":"","redirected":false,"named":"","hops":0,"passes":0,"reason":0}],"reason":0}', '\x3142ea071764183dbfc5e7f5d90aecfc32004e26284bb54d5bc5465f347b236c'),
	(57, 1, 1767229260000000, 1767229260000000, 'MessagesReallocated', 'QMS', 'tick-0006474920476b00-0e563954bafb', 'rules', 'tick-0006474920476b00-0e563954bafb.1', '{"qmgr":"QMS","channel":"CA.QM3","queue":"SYSTEM.CLUSTER.TRANSMIT.QUEUE","cause":"retry","moves":[{"put":47,"share":{"count":5,"to":"QM4_2026-01-01_00.00.00","channel":"CA.QM4","lies_on":"SYSTEM.CLUSTER.TRANSMIT.QUEUE","queue":"ORD","cluster":"CA","named":"","route":"CA.QM4","before":[6,0],"after":[11,0]}}],"stayed":0,"interrupted":false,"profile":"v8","version":1,"ineligible":0}', '\x1e6227fc79685027793c2474bdf1739822581491932d5fc730105af8b22beef2'),
	(58, 1, 1767229260000000, 1767229260000000, 'MessagesSent', 'QMS', 'tick-0006474920476b00-0e563954bafb', 'rules', 'tick-0006474920476b00-0e563954bafb.2', '{"qmgr":"QMS","channel":"CA.QM4","queue":"SYSTEM.CLUSTER.TRANSMIT.QUEUE","count":5,"fast":false,"over":""}', '\xb961d22f2a274659582d56c5f7e78f9c92be6c59f26d94de4d2cabab379aef94'),
	(59, 1, 1767229260000000, 1767229260000000, 'MessagesArrived', 'QM4', 'tick-0006474920476b00-0e563954bafb', 'rules', 'tick-0006474920476b00-0e563954bafb.3', '{"qmgr":"QM4","sender":"QMS","channel":"CA.QM4","queue":"ORD","parcels":[{"put":47,"count":5,"queue":"ORD","at":1767229260000000,"by":"QMS","to":"QM4_2026-01-01_00.00.00","channel":"CA.QM4","cluster":"CA","fixed":"","persistent":true,"group":"","name":"","redirected":false,"named":"","hops":0,"passes":0,"reason":0}],"reason":0}', '\xb775974d6964daecbd30e111e3fd04eb4edf68c47d9b4acdacb8a8d8bbf0d248');
INSERT INTO public.head VALUES
	(0, 59, 1767229260000000, 1767229260000000, '\xb775974d6964daecbd30e111e3fd04eb4edf68c47d9b4acdacb8a8d8bbf0d248'),
	(1, 59, 1767229260000000, 1767229260000000, '\xb775974d6964daecbd30e111e3fd04eb4edf68c47d9b4acdacb8a8d8bbf0d248');
INSERT INTO public.log_version VALUES
	('0001');
SELECT pg_catalog.setval('public.page_id_seq', 1, false);
SELECT pg_catalog.setval('public.snapshot_id_seq', 1, false);
ALTER TABLE ONLY public.branch
    ADD CONSTRAINT branch_name_key UNIQUE (name);
ALTER TABLE ONLY public.branch
    ADD CONSTRAINT branch_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_by_id UNIQUE (event_id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.head
    ADD CONSTRAINT head_pkey PRIMARY KEY (branch);
ALTER TABLE ONLY public.late_event
    ADD CONSTRAINT late_event_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.log_version
    ADD CONSTRAINT log_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.page
    ADD CONSTRAINT page_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.page
    ADD CONSTRAINT page_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.snapshot
    ADD CONSTRAINT snapshot_by_valid UNIQUE (branch, version, valid, "position");
ALTER TABLE ONLY public.snapshot
    ADD CONSTRAINT snapshot_pkey PRIMARY KEY (id);
CREATE INDEX event_in_fold_order ON public.event USING btree (branch, occurred_at, "position");
CREATE INDEX late_event_by_batch ON public.late_event USING btree (branch, upto);
CREATE TRIGGER branch_no_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.branch FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER event_is_next AFTER INSERT ON public.event REFERENCING NEW TABLE AS added_event FOR EACH STATEMENT EXECUTE FUNCTION public.demand_next_position();
CREATE TRIGGER event_no_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.event FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER late_event_no_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.late_event FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
