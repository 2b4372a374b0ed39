/**
 * Writes the part of docs/CLI.md that lists commands and options, the man page docs/cofferdam.1 and the schema of the
 * file that --config names, from the tables in src/cli/arguments/ that the parser and the help texts use, too.
 * `--check` only says whether the files are up to date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { configSchema } from './config-schema.mjs';
import { manPage } from './man-page.mjs';
import { capitalised, cell } from './markdown.mjs';

const file = fileURLToPath(new URL('../docs/CLI.md', import.meta.url));
const manFile = fileURLToPath(new URL('../docs/cofferdam.1', import.meta.url));
const schemaFile = fileURLToPath(new URL('../docs/cofferdam.schema.json', import.meta.url));
const tables = fileURLToPath(new URL('../src/cli/arguments/', import.meta.url));
const BEGIN = '<!-- npm run docs writes from here … -->';
const END = '<!-- … to here -->';

const { commands, flags, flagText, inConfig } = await loadTables();
const before = readFileSync(file, 'utf8');
const [head, rest] = before.split(BEGIN);
const after = `${head}${BEGIN}\n\n${commandTable()}\n\n${flagTable()}\n\n${END}${rest.split(END)[1]}`;
write(file, after);
write(manFile, manPage(commands, flags, flagText));
write(schemaFile, `${JSON.stringify(configSchema(flags, inConfig), null, 2)}\n`);

function write(path, fresh) {
  if (!process.argv.includes('--check')) writeFileSync(path, fresh);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== fresh) {
    console.error(`docs/${basename(path)} is out of date: npm run docs`);
    process.exitCode = 1;
  }
}

/** Bundles the tables first, because Node 20 does not read TypeScript. */
async function loadTables() {
  const entry = `export * from './commands.ts'; export * from './options/flags.ts';`;
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: tables },
    bundle: true,
    write: false,
    format: 'esm',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

function commandTable() {
  const rows = commands.flatMap(({ name, usage, help }) =>
    usage.map((line, index) => {
      const call = name === 'serve' ? `cofferdam ${line}` : `cofferdam ${name} ${line}`.trimEnd();
      return `| ${code(call)} | ${index === 0 ? capitalised(help) : ''} |`;
    }),
  );
  return ['| command | what it does |', '|---|---|', ...rows].join('\n');
}

function flagTable() {
  const rows = flags.map((flag) => {
    const takers = flag.for === 'every command' ? 'all' : flag.for.map(commandText).join(', ');
    return `| ${code(flagText(flag))} | ${takers} | ${cell(capitalised(helpText(flag)))} |`;
  });
  return ['| option | commands | what it does |', '|---|---|---|', ...rows].join('\n');
}

function helpText({ help, helpFor = {} }) {
  return [help, ...Object.entries(helpFor).map(([command, other]) => `${command}: ${other}`)].join('; ');
}

/** What the table calls a command. Nobody has to type `serve`, so it is called after what it starts. */
function commandText(name) {
  return name === 'serve' ? 'a server' : name;
}

function code(text) {
  return `\`${cell(text)}\``;
}
