// Draws docs/images/demo.svg: a call, its diff and its undo, as a real run of the built program printed them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './setup.mjs';

const folder = mkdtempSync(join(tmpdir(), 'demo-'));
const app = join(folder, 'harbour');
const edit = { path: 'prices.ts', edits: [{ oldText: 'north: 40', newText: 'north: 45' }] };
const STEPS = [
  ['# An agent edits a file …', 'call', 'edit_file', JSON.stringify(edit), '.'],
  ['# … you see which call changed what …', 'history'],
  ['# … and take it back.', 'undo'],
  ['', 'call', 'read_text_file', '{"path":"prices.ts"}', '.'],
];
const ROW = 21;
const WIDTH = 960;
/** In seconds: how long each step is shown before the next, and how long the picture holds at the end. */
const STEP = 2.6;
const REST = 5;

let rows;
try {
  mkdirSync(app);
  writeFileSync(join(app, 'prices.ts'), 'export const prices = {\n  north: 40,\n  quay: 60,\n};\n');
  rows = STEPS.flatMap(([title, ...args], step) => {
    const line = { text: `$ cofferdam ${args.map(quoted).join(' ')}`, kind: 'typed', step };
    const printed = run(args).map((text) => ({ text, kind: kindOf(text), step: step + 0.4 }));
    const intro = title === '' ? [] : [{ text: title, kind: 'note', step }];
    return [...intro, line, ...printed, { text: '', kind: '', step }];
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
writeFileSync(join(root, 'docs/images/demo.svg'), drawn(rows.slice(0, -1)));

function run(args) {
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
  const options = { cwd: app, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  const printed = execFileSync(process.execPath, [join(root, 'dist/cofferdam.cjs'), ...args], options);
  return printed
    .replaceAll(app, '~/harbour')
    .replaceAll('\t', '  ')
    .trimEnd()
    .split('\n')
    .filter((text) => !/^```|^Index|^=+$/.test(text));
}

function quoted(word) {
  return /^[\w.]+$/.test(word) ? word : `'${word}'`;
}

function kindOf(text) {
  if (/^\+(?!\+\+)/.test(text)) return 'added';
  return /^-(?!--)/.test(text) ? 'removed' : '';
}

function drawn(lines) {
  const total = STEPS.length * STEP + REST;
  const times = [...new Set(lines.map(({ step }) => step))];
  const frames = times.map((step, at) => {
    const begins = ((step * STEP) / total) * 100;
    return `@keyframes s${at}{0%,${begins.toFixed(2)}%{opacity:0}${(begins + 1).toFixed(2)}%,100%{opacity:1}}.s${at}{animation:s${at} ${total}s infinite}`;
  });
  const texts = lines.map(
    ({ text, kind, step }, at) =>
      `<text class="s${times.indexOf(step)} ${kind}" x="20" y="${58 + at * ROW}" xml:space="preserve">${escaped(text)}</text>`,
  );
  const height = 58 + lines.length * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="An edit through Cofferdam, its entry in the history, and its undo">
<style>
.paper{fill:#f6f8fa;stroke:#d0d7de}.dot{fill:#d0d7de}text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}
.note{fill:#59636e}.typed{font-weight:600}.added{fill:#116329}.removed{fill:#a40e26}
@media(prefers-color-scheme:dark){.paper{fill:#0d1117;stroke:#30363d}.dot{fill:#30363d}text{fill:#e6edf3}.note{fill:#9198a1}.added{fill:#7ee787}.removed{fill:#ffa198}}
${frames.join('\n')}
@media(prefers-reduced-motion:reduce){text[class]{animation:none}}
</style>
<rect class="paper" x="1" y="1" width="${WIDTH - 2}" height="${height - 2}" rx="8"/>
<circle class="dot" cx="22" cy="20" r="6"/><circle class="dot" cx="42" cy="20" r="6"/><circle class="dot" cx="62" cy="20" r="6"/>
${texts.join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
