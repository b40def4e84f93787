"""The style of the page: light and dark, wide and narrow, and its colours.

Colour-blind people can tell its colours apart: a test computes how they see them. Lines differ in
their dashes, too, and what is planned or not observed is hatched.
"""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --bg: #f6f7f9; --panel: #fff; --ink: #17202c; --dim: #56616f;
  --line: #dfe4ea; --soft: #eef1f5; --link: #1f4fb8; --out: #c2410c; --plan: #6f86a6;
  --s0: #0b5fa5; --s1: #d55e00; --s2: #3dbb8f; --s3: #f0c419; }
@media (prefers-color-scheme: dark) { :root { --bg: #11161d; --panel: #1a212b; --ink: #e6ebf2;
  --dim: #9fabba; --line: #303b48; --soft: #232c38; --link: #9bb8ff; --out: #ff8a4c;
  --plan: #8fa5c4; --s0: #4f9ff0; --s1: #e8743b; --s2: #9fe3b4; --s3: #f5e16b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 78rem; margin: 0 auto; padding: 1.2rem 1.2rem 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0 0 0.5rem; }
p { margin: 0.3rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
.dim, small { color: var(--dim); }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.9rem 1.1rem 1rem; margin-top: 0.9rem; }
.now { background: var(--panel); border: 1px solid var(--out); border-left: 8px solid var(--out);
  border-radius: 10px; padding: 0.6rem 1rem; margin: 0.9rem 0 0; }
.now b { color: var(--out); }
table { border-collapse: collapse; width: 100%; font-size: 13.5px;
  font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.3rem 0.9rem 0.3rem 0; border-top: 1px solid var(--line);
  vertical-align: top; overflow-wrap: break-word; }
th { color: var(--dim); font-weight: 500; border-top: 0; vertical-align: bottom; }
th.number, td.number { text-align: right; }
td.number, td.when { white-space: nowrap; }
td.what { width: 50%; overflow-wrap: anywhere; }
td.what small { display: block; }
.incidents .out td:first-child { box-shadow: inset 5px 0 var(--out); padding-left: 0.8rem; }
.incidents .planned td:first-child { padding-left: 0.8rem;
  background: repeating-linear-gradient(135deg, var(--plan) 0 2px, transparent 2px 5px)
  left / 5px 100% no-repeat; }
.incidents th:first-child { padding-left: 0.8rem; }
.incidents .out b { color: var(--out); }
.wide { overflow-x: auto; }
figure { margin: 0.2rem 0 1.1rem; }
figcaption { display: flex; flex-wrap: wrap; gap: 0.1rem 1.1rem; font-size: 13.5px;
  margin-bottom: 0.35rem; }
figcaption span { color: var(--dim); white-space: nowrap; }
.row { display: grid; grid-template-columns: 15rem 1fr; }
.name { font-size: 12.5px; padding-right: 0.8rem; white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis; line-height: 1.35rem; }
.track { position: relative; height: 1.1rem; margin: 0.12rem 0; background: var(--soft);
  overflow: hidden; border-radius: 2px; }
.track b { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--line); }
.track i { position: absolute; top: 0; bottom: 0; font: 600 11px/1.1rem system-ui, sans-serif;
  color: var(--panel); text-align: center; white-space: nowrap; overflow: hidden; }
i.planned, i.unknown { text-shadow: 0 0 3px var(--panel), 0 0 3px var(--panel),
  0 0 3px var(--panel), 0 0 3px var(--panel); }
i.out { background: var(--out); }
i.planned { background: repeating-linear-gradient(135deg, var(--plan) 0 3px, transparent 3px 6px),
  var(--soft); outline: 1px solid var(--plan); outline-offset: -1px; color: var(--ink); }
i.unknown { background: repeating-linear-gradient(45deg, var(--dim) 0 1px, transparent 1px 5px),
  var(--panel); color: var(--ink); outline: 1px dashed var(--dim); outline-offset: -1px; }
.key { display: inline-block; width: 1.3em; height: 0.75em; margin-right: 0.4em; }
i.s0 { background: var(--s0); } i.s1 { background: var(--s1); } i.s2 { background: var(--s2); }
i.s3 { background: var(--s3); }
.plot { display: block; width: 100%; height: 6.2rem; overflow: visible; }
.plot path { vector-effect: non-scaling-stroke; fill: none; }
.plot .grid { stroke: var(--line); stroke-width: 1; }
.plot .line { stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.plot .s0 { stroke: var(--s0); } .plot .s1 { stroke: var(--s1); } .plot .s2 { stroke: var(--s2); }
.plot .s3 { stroke: var(--s3); }
.plot .line.s1 { stroke-dasharray: 7 3; } .plot .line.s2 { stroke-dasharray: 2 4; }
.plot .line.s3 { stroke-dasharray: 9 3 2 3; }
.plot .bar { stroke: none; }
.plot .bar.s0 { fill: var(--s0); } .plot .bar.s1 { fill: var(--s1); }
.plot .bar.s2 { fill: var(--s2); } .plot .bar.s3 { fill: var(--s3); }
.marks { position: relative; font-size: 12px; color: var(--dim); }
.marks span { position: absolute; right: 0.6rem; transform: translateY(-50%); }
.axis { position: relative; height: 1.3rem; margin-left: 15rem; font-size: 12px;
  color: var(--dim); overflow: hidden; }
.axis span { position: absolute; white-space: nowrap; padding-left: 3px;
  border-left: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.2rem; margin: 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
details { border-top: 1px solid var(--line); padding: 0.35rem 0; }
summary { cursor: pointer; }
@media (max-width: 640px) {
  body { font-size: 14.5px; }
  main { padding: 0.8rem 0.6rem 2rem; }
  .card { padding: 0.7rem 0.7rem 0.8rem; }
  .row { display: block; position: relative; }
  .axis, .track, .plot { margin-left: 2.9rem; }
  .track i:not(.long) { font-size: 0; }
  .axis span:not(:nth-child(3n+1)), .axis .late { display: none; }
  .marks { position: absolute; inset: 0 auto 0 0; width: 2.9rem; }
  .marks span { right: 0.3rem; font-size: 11px; white-space: nowrap; }
  .plot { width: calc(100% - 2.9rem); height: 5.4rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.5rem; }
  thead { display: none; }
  tr { display: block; border-top: 1px solid var(--line); padding: 0.35rem 0; }
  td, td.number { display: flex; justify-content: space-between; gap: 1rem; border: 0;
    padding: 0.06rem 0; text-align: left; white-space: normal; }
  td::before { content: attr(data-name); color: var(--dim); flex: none; }
  td > div { text-align: right; }
  .incidents tr { padding-left: 0.7rem; }
  .incidents .out { box-shadow: inset 5px 0 var(--out); }
  .incidents .planned { background: repeating-linear-gradient(135deg, var(--plan) 0 2px,
    transparent 2px 5px) left / 5px 100% no-repeat; }
  .incidents td:first-child, .incidents .out td:first-child { padding-left: 0; box-shadow: none;
    background: none; }
  .incidents tr { display: flex; flex-direction: column; }
  .incidents td.what { order: -1; width: auto; }
  .incidents td.what::before { content: none; }
  .incidents td.what > div { text-align: left; }
}
@media print { body { background: none; } .card { border: 0; padding: 0; }
  figure, tr { break-inside: avoid; } }
"""
