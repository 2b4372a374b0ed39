/**
 * Writes docs/clients/ and the README's install sections from src/cli/clients/table.ts, the table that `cofferdam init`
 * uses, too. `--check` only says whether they are up to date.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './setup.mjs';

const check = process.argv.includes('--check');
process.chdir(root);
const { clients, configText, addCommandLine } = await loadTable();
const BEGIN = '<!-- npm run docs writes the clients from here … -->';
const END = '<!-- … to here -->';
const SYSTEMS = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };
const launch = { command: 'node', args: ['/path/to/cofferdam/dist/cofferdam.cjs', '/home/me/code/app'] };
/** Placeholders that editors fill in, because a link cannot know where the clone is. */
const anywhere = {
  command: 'node',
  args: ['${userHome}/cofferdam/dist/cofferdam.cjs', '${workspaceFolder}'],
};

const pages = Object.fromEntries(clients.map((client) => [`docs/clients/${client.id}.md`, pageOf(client)]));
const [head, rest] = readFileSync('README.md', 'utf8').split(BEGIN);
pages['README.md'] =
  `${head}${BEGIN}\n\n${clients.map(sectionOf).join('\n\n')}\n\n${END}${rest.split(END).slice(1).join(END)}`;

mkdirSync('docs/clients', { recursive: true });
const gone = readdirSync('docs/clients')
  .map((name) => `docs/clients/${name}`)
  .filter((file) => !(file in pages));
const stale = Object.keys(pages).filter(
  (file) => !existsSync(file) || readFileSync(file, 'utf8') !== pages[file],
);
if (!check) {
  for (const file of stale) writeFileSync(file, pages[file]);
  for (const file of gone) rmSync(file);
} else if (stale.length + gone.length > 0) {
  console.error(`stale, run \`npm run docs\`: ${[...stale, ...gone].join(', ')}`);
  process.exitCode = 1;
}

/** Bundles the table first, because Node 20 does not read TypeScript. */
async function loadTable() {
  const outfile = join(root, 'dist', `clients-${process.pid}.cjs`);
  const contents = `export * from './table.ts'; export * from './entry-text.ts';`;
  await build({
    stdin: { contents, resolveDir: 'src/cli/clients' },
    ...{ bundle: true, platform: 'node', format: 'cjs', outfile, mainFields: ['module', 'main'] },
  });
  try {
    return (await import(pathToFileURL(outfile).href)).default;
  } finally {
    rmSync(outfile);
  }
}

function pageOf(client) {
  const { id, name, project, see, notes, docs } = client;
  const own = addCommandLine(client, 'cofferdam', launch, 'user');
  return `${[
    `# ${name}`,
    `<!-- npm run docs writes this page from src/cli/clients/table.ts. -->`,
    `\`cofferdam init ${id} ~/code/app --write\` adds Cofferdam for that directory and keeps everything else in the file; \`cofferdam init ${id} --remove\` takes it out again. Without \`--write\`, \`init\` shows the lines with the paths of your machine.`,
    '## By hand',
    fileTable(client),
    `The entry is under \`${client.keys.join('.')}\`:`,
    fenced(client),
    ...(own ? [`${name} can add it itself:`, `\`\`\`sh\n${own}\n\`\`\``] : []),
    ...(client.webLink ? [linkText(client)] : []),
    '## See it work',
    see,
    ...(notes ? [notes] : []),
    ...(project
      ? [
          `\`--scope project\` writes to the file of the project in the first directory that you name. The entry has paths of your machine: do not commit it for others.`,
        ]
      : []),
    `${name}'s own page: <${docs}>.`,
  ].join('\n\n')}\n`;
}

function fileTable(client) {
  const rows = Object.entries(SYSTEMS).map(([system, title]) => {
    const { path, names, variable } = client.user[system];
    const folder = path.replace('$XDG_CONFIG_HOME', '~/.config');
    const other = variable ? ` (or in \`$${variable}\`)` : '';
    return `| ${title} | ${names.map((each) => `\`${folder}/${each}\``).join(' or ')}${other} |`;
  });
  if (client.project)
    rows.push(`| one project | ${client.project.map((each) => `\`${each}\``).join(' or ')} |`);
  return ['| where | file |', '|---|---|', ...rows].join('\n');
}

function fenced(client) {
  return `\`\`\`${client.format}\n${configText(client, 'cofferdam', launch)}\`\`\``;
}

function linkText(client) {
  return `[Add to ${client.name}](${client.webLink('cofferdam', anywhere)}): this link expects the built clone in \`~/cofferdam\` and serves the folder that is open. \`cofferdam init ${client.id}\` prints a link with your own paths.`;
}

/** What the README shows of a client: a folded section with one way to install. */
function sectionOf(client) {
  const own = addCommandLine(client, 'cofferdam', launch, 'user');
  return [
    `<details><summary>${client.name}</summary>`,
    `\`\`\`sh\nnode dist/cofferdam.cjs init ${client.id} ~/code/app --write\n\`\`\``,
    own && client.id !== 'vscode' ? `or \`${own}\`, or by hand:` : 'or by hand:',
    fenced(client),
    ...(client.webLink ? [linkText(client)] : []),
    `${client.see} [More](docs/clients/${client.id}.md)`,
    '</details>',
  ].join('\n\n');
}
