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
	(1, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QMS', NULL, 'command', '0006474846204000-13564f90299c', '{"qmgr":"QMS","command":"crtmqm","arguments":["cmdlevel=940","platform=UNIX"]}', '\xd989d9df07754f54831d362ca74647768b17655aa24f8cd0887d2cfeefdb06e9'),
	(2, 1, 1767225600000000, 1767225600000000, 'QueueManagerCreated', 'QMS', '0006474846204000-13564f90299c', 'rules', '0006474846204000-13564f90299c.1', '{"qmgr":"QMS","qmid":"QMS_2026-01-01_00.00.00","cmdlevel":940,"platform":"UNIX"}', '\x2b4da8de5b954f7df942df0507a4fc990ce723f62b9529bbe98eabc4b9c070bd'),
	(3, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QMS', NULL, 'command', '0006474846204000-426c86018081', '{"qmgr":"QMS","command":"strmqm","arguments":[]}', '\x8e8152b08665842920ca5993c2206216308dd68348c4943a79cf492c39efd902'),
	(4, 1, 1767225600000000, 1767225600000000, 'QueueManagerStarted', 'QMS', '0006474846204000-426c86018081', 'rules', '0006474846204000-426c86018081.1', '{"qmgr":"QMS"}', '\x33929de140ff8dbe94948aa44594d93054ceec0c2eb5af80d703ac7ebebc124e'),
	(5, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QM3', NULL, 'command', '0006474846204000-2c053a88c97f', '{"qmgr":"QM3","command":"crtmqm","arguments":["cmdlevel=940","platform=UNIX"]}', '\xc78d3db78523b08cc3b6308d4cfc8313ddaa0521ee412d639feccabe203fb608'),
	(6, 1, 1767225600000000, 1767225600000000, 'QueueManagerCreated', 'QM3', '0006474846204000-2c053a88c97f', 'rules', '0006474846204000-2c053a88c97f.1', '{"qmgr":"QM3","qmid":"QM3_2026-01-01_00.00.00","cmdlevel":940,"platform":"UNIX"}', '\xd8f3eaf9aadb8420fee8c80fb2f00e32bc71310749eae48e8ce9a5b43a82eb3b'),
	(7, 1, 1767225600000000, 1767225600000000, 'ControlCommandEntered', 'QM3', NULL, 'command', '0006474846204000-3ee3b990d10c', '{"qmgr":"QM3","command":"strmqm","arguments":[]}', '\x6507a536a14cd86c8062436afbc18de4c8007d0059e3e1e7e164b69468e179a6'),
	(8, 1, 1767225600000000, 1767225600000000, 'QueueManagerStarted', 'QM3', '0006474846204000-3ee3b990d10c', 'rules', '0006474846204000-3ee3b990d10c.1', '{"qmgr":"QM3"}', '\xa7b14b4d403c0922b01672227b4c71e16ddc837fc33414af7a87f1797d1a296b'),
	(9, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QMS', NULL, 'command', '0006474846204000-228085b1edb6', '{"qmgr":"QMS","text":"ALTER QMGR REPOS(CA)"}', '\x2ef090e38785dbe66978d0845ab1639e43a5b468cdb1ee75554b7044c3b88857'),
	(10, 1, 1767225600000000, 1767225600000000, 'QueueManagerAltered', 'QMS', '0006474846204000-228085b1edb6', 'rules', '0006474846204000-228085b1edb6.1', '{"qmgr":"QMS","values":{"REPOS":"CA"}}', '\x81c97cf3c558e62b835493129dd9009715c74064f5effbb3c0e1593918aa28fc'),
	(11, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QMS', NULL, 'command', '0006474846204000-24e74fc0e655', '{"qmgr":"QMS","text":"DEFINE CHANNEL(CA.QMS) CHLTYPE(CLUSRCVR) CONNAME(''qms(1414)'') CLUSTER(CA)"}', '\x5965ec4ebe2238b2d8fafb7d43b8b843260c63e8ed5000fd0dcaf677998e1d53'),
	(12, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QMS', '0006474846204000-24e74fc0e655', 'rules', '0006474846204000-24e74fc0e655.1', '{"qmgr":"QMS","kind":"CHANNEL","name":"CA.QMS","type":"CLUSRCVR","values":{"CONNAME":"qms(1414)","CLUSTER":"CA"}}', '\x623f2e79a9f936c48cbf678be0587aefeda356755877adb39abe049e64453e74'),
	(13, 1, 1767225600000000, 1767225600000000, 'InformationPublished', 'QMS', '0006474846204000-24e74fc0e655', 'rules', '0006474846204000-24e74fc0e655.2', '{"qmgr":"QMS","qmid":"QMS_2026-01-01_00.00.00","cluster":"CA","sequence":1,"records":[{"kind":"qmgr","name":"CA.QMS","values":{"CONNAME":"qms(1414)","ALTERED":1767225600000000,"VERSION":"09040000","QMTYPE":"REPOS"},"deleted":false}]}', '\xa6f3d597c8f001dd1f8d2f976b5a78800682e8e5d2ad5a772e5f7a7c6dd59bb3'),
	(14, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QM3', NULL, 'command', '0006474846204000-1775b6528910', '{"qmgr":"QM3","text":"DEFINE CHANNEL(CA.QM3) CHLTYPE(CLUSRCVR) CONNAME(''qm3(1414)'') CLUSTER(CA)"}', '\xd3d49a6a6345e02b9f8570acad6debd5a2dde11648e1a933f5a7f6a58db32db5'),
	(15, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QM3', '0006474846204000-1775b6528910', 'rules', '0006474846204000-1775b6528910.1', '{"qmgr":"QM3","kind":"CHANNEL","name":"CA.QM3","type":"CLUSRCVR","values":{"CONNAME":"qm3(1414)","CLUSTER":"CA"}}', '\x92da71603afbc4d91ba3730d642192d54e9d021f004213a775eb84baa9308caa'),
	(16, 1, 1767225600000000, 1767225600000000, 'InformationPublished', 'QM3', '0006474846204000-1775b6528910', 'rules', '0006474846204000-1775b6528910.2', '{"qmgr":"QM3","qmid":"QM3_2026-01-01_00.00.00","cluster":"CA","sequence":1,"records":[{"kind":"qmgr","name":"CA.QM3","values":{"CONNAME":"qm3(1414)","ALTERED":1767225600000000,"VERSION":"09040000"},"deleted":false}]}', '\x35366ca9ff35d73b0191121d94968a22cc73aa14990eff146719d11df4639579'),
	(17, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QM3', NULL, 'command', '0006474846204000-0b1c92948ba1', '{"qmgr":"QM3","text":"DEFINE CHANNEL(CA.QMS) CHLTYPE(CLUSSDR) CONNAME(''qms(1414)'') CLUSTER(CA)"}', '\xc46ac73f9545227526a25649fbfe0221ec5a4c212196b0180516b9ffa299d8f5'),
	(18, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QM3', '0006474846204000-0b1c92948ba1', 'rules', '0006474846204000-0b1c92948ba1.1', '{"qmgr":"QM3","kind":"CHANNEL","name":"CA.QMS","type":"CLUSSDR","values":{"CONNAME":"qms(1414)","CLUSTER":"CA"}}', '\x5654e6f95a117eb683656866a96eefff73d4b3d156dd02f2c1065fdbc2118148'),
	(19, 1, 1767225600000000, 1767225600000000, 'ChannelStatusChanged@2', 'QM3', '0006474846204000-0b1c92948ba1', 'rules', '0006474846204000-0b1c92948ba1.2', '{"qmgr":"QM3","channel":"CA.QMS","status":"RUNNING","partner":"QMS","reason":"","observed":false,"hangs":0}', '\xedc334caf4250f2f336b71abfe0ef195c2e3e75c0a0c07f52362db5dc25f54e5'),
	(20, 1, 1767225600000000, 1767225600000000, 'InformationReceived', 'QMS', '0006474846204000-0b1c92948ba1', 'rules', '0006474846204000-0b1c92948ba1.3', '{"qmgr":"QMS","sender":"QM3","cluster":"CA","items":[{"owner":"QM3_2026-01-01_00.00.00","sequence":1}]}', '\x95324456a834ea4ec8f978680b5bedae256ed5eff610d783b8b082009d0eaaae'),
	(21, 1, 1767225600000000, 1767225600000000, 'ErrorLogged', 'QMS', '0006474846204000-0b1c92948ba1', 'rules', '0006474846204000-0b1c92948ba1.4', '{"qmgr":"QMS","id":"AMQ9418","inserts":["CA"]}', '\x9f37e44c81c5cbbe22f8381fac26927716077ca602963943a891c3fb9e798c92'),
	(22, 1, 1767225600000000, 1767225600000000, 'ChannelStatusChanged@2', 'QMS', '0006474846204000-0b1c92948ba1', 'rules', '0006474846204000-0b1c92948ba1.5', '{"qmgr":"QMS","channel":"CA.QM3","status":"RUNNING","partner":"QM3","reason":"","observed":false,"hangs":0}', '\xab7caa2bc05910b5469454e83ebf5d332e8304725852f001171f14b5e1720ee9'),
	(23, 1, 1767225600000000, 1767225600000000, 'InformationReceived', 'QM3', '0006474846204000-0b1c92948ba1', 'rules', '0006474846204000-0b1c92948ba1.6', '{"qmgr":"QM3","sender":"QMS","cluster":"CA","items":[{"owner":"QMS_2026-01-01_00.00.00","sequence":1}]}', '\x55f06ead4d403037cbf771b2ed1a4479a19061d86c4d8b630aaa12176b4ceb00'),
	(24, 1, 1767225600000000, 1767225600000000, 'CommandEntered', 'QM3', NULL, 'command', '0006474846204000-16b37e828567', '{"qmgr":"QM3","text":"DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)"}', '\x965e217e4b9c7c33989e6dfb2a0c7995647cd0de9f767166feba75c3bc5483d4'),
	(25, 1, 1767225600000000, 1767225600000000, 'ObjectDefined', 'QM3', '0006474846204000-16b37e828567', 'rules', '0006474846204000-16b37e828567.1', '{"qmgr":"QM3","kind":"QUEUE","name":"ORD","type":"QLOCAL","values":{"CLUSTER":"CA","DEFBIND":"NOTFIXED"}}', '\x875894f97064019adb8b22ffdfff967f8251421050d721f9170eb7065dc6bac3'),
	(26, 1, 1767225600000000, 1767225600000000, 'InformationPublished', 'QM3', '0006474846204000-16b37e828567', 'rules', '0006474846204000-16b37e828567.2', '{"qmgr":"QM3","qmid":"QM3_2026-01-01_00.00.00","cluster":"CA","sequence":2,"records":[{"kind":"queue","name":"ORD","values":{"DEFBIND":"NOTFIXED","ALTERED":1767225600000000,"CLUSQT":"QLOCAL"},"deleted":false}]}', '\x33a8eb8fa8108b7622349412eff67a396e6711ac2a709c9156450fa1ebf99047'),
	(27, 1, 1767225600000000, 1767225600000000, 'InformationReceived', 'QMS', '0006474846204000-16b37e828567', 'rules', '0006474846204000-16b37e828567.3', '{"qmgr":"QMS","sender":"QM3","cluster":"CA","items":[{"owner":"QM3_2026-01-01_00.00.00","sequence":2}]}', '\xbceb41cb660a459b9e99bac9298c31159937c08669a4bfcca3bc8d39719c3f1b'),
	(28, 1, 1767225600000000, 1767225600000000, 'PutEntered', 'QMS', NULL, 'command', '0006474846204000-7965f55b0f07', '{"qmgr":"QMS","origin":{"file":"messages/channels.yaml","line":507,"step":1},"queue":"ORD","handle":"","count":1,"bind":"asqdef","to":"","put1":false,"persistent":true,"group":"","logical_order":false,"name":"","profile":""}', '\xe4e496048710dc029d52dfd3633a3a6c6ddd5ec95964d3648f43f38503e91744'),
	(29, 1, 1767225600000000, 1767225600000000, 'MessagesPut', 'QMS', '0006474846204000-7965f55b0f07', 'rules', '0006474846204000-7965f55b0f07.1', '{"qmgr":"QMS","queue":"ORD","shares":[{"count":1,"to":"QM3_2026-01-01_00.00.00","channel":"CA.QM3","lies_on":"SYSTEM.CLUSTER.TRANSMIT.QUEUE","queue":"ORD","cluster":"CA","named":"","route":"CA.QM3","before":[0,0],"after":[1,0]}],"bind":"notfixed","handle":"","fixed":"","persistent":true,"group":"","name":"","profile":"v8","version":1}', '\x6006a3aed11004e2bcb9d6388e1a8c604d45a0047483fa3b27af4969ac618286'),
	(30, 1, 1767225600000000, 1767225600000000, 'MessagesSent', 'QMS', '0006474846204000-7965f55b0f07', 'rules', '0006474846204000-7965f55b0f07.2', '{"qmgr":"QMS","channel":"CA.QM3","queue":"SYSTEM.CLUSTER.TRANSMIT.QUEUE","count":1,"fast":false,"over":""}', '\xcde5a7a267684ad5bcfd61dee9918b801de39d8089b37253e6a17a2d853e0a16'),
	(31, 1, 1767225600000000, 1767225600000000, 'MessagesArrived', 'QM3', '0006474846204000-7965f55b0f07', 'rules', '0006474846204000-7965f55b0f07.3', '{"qmgr":"QM3","sender":"QMS","channel":"CA.QM3","queue":"ORD","parcels":[{"put":29,"count":1,"queue":"ORD","at":1767225600000000,"by":"QMS","to":"QM3_2026-01-01_00.00.00","channel":"CA.QM3","cluster":"CA","fixed":"","persistent":true,"group":"","name":"","redirected":false,"named":"","hops":0,"passes":0,"reason":0}],"reason":0}', '\x7e70280fa755a4bd44127f2a01642706139120f5283de23dc5fbe2108d925791'),
	(32, 1, 1767229200000000, 1767232800000000, 'ChannelObserved', 'QMS', NULL, 'observation:channel', '000647491cb3e400-2a4e8fe8ddd9', '{"qmgr":"QMS","origin":{"file":"messages/channels.yaml","line":509,"step":2},"channel":"CA.QM3","status":"RETRYING"}', '\x277ddf7c40a037212c927956576d25a5942240de4f57e9d6e52c089b69d0cb0a'),
	(33, 1, 1767229200000000, 1767232800000000, 'ChannelStatusChanged@2', 'QMS', '000647491cb3e400-2a4e8fe8ddd9', 'rules', '000647491cb3e400-2a4e8fe8ddd9.1', '{"qmgr":"QMS","channel":"CA.QM3","status":"RETRYING","partner":"QM3","reason":"AMQ9202","observed":true,"hangs":0}', '\x258f5c877c5808581ca92648c254ae9562a57af2dd2fca8c5095345531658969'),
	(34, 1, 1767229200000000, 1767232800000000, 'ChannelRetryAwaited', 'QMS', '000647491cb3e400-2a4e8fe8ddd9', 'rules', '000647491cb3e400-2a4e8fe8ddd9.2', '{"qmgr":"QMS","channel":"CA.QM3","at":1767229260000000,"reason":""}', '\x68cab740f587b6ced2d4aa3ede391e8ea64114ddcd2b57bc584bb1ce94dbe62c'),
	(35, 1, 1767229260000000, 1767232800000000, 'ChannelStatusChanged@2', 'QMS', 'tick-0006474920476b00-3b1fc443932d', 'rules', 'tick-0006474920476b00-3b1fc443932d.1', '{"qmgr":"QMS","channel":"CA.QM3","status":"RUNNING","partner":"QM3","reason":"","observed":false,"hangs":0}', '\x48cfb901acd0e44140f9cdc3beaa22ac2591f1b24c88609b62822f70f4df41ac');
INSERT INTO public.head VALUES
	(0, 35, 1767229260000000, 1767232800000000, '\x48cfb901acd0e44140f9cdc3beaa22ac2591f1b24c88609b62822f70f4df41ac'),
	(1, 35, 1767229260000000, 1767232800000000, '\x48cfb901acd0e44140f9cdc3beaa22ac2591f1b24c88609b62822f70f4df41ac');
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
