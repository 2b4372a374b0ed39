/** Writes the man page from the tables of commands and options. */

const DIALECTS = 'docs/tools/';

export function manPage(commands, flags, flagText) {
  const named = commands.map((command) => ({ ...command, call: callOf(command) }));
  return `${[
    '.TH COFFERDAM 1',
    '.SH NAME',
    'cofferdam \\- file tools for an AI agent, behind a wall that holds',
    '.SH SYNOPSIS',
    ...named.flatMap(({ usage, call }) => usage.flatMap((line) => ['.br', bold(call(line))])).slice(1),
    '.SH DESCRIPTION',
    'Cofferdam is an MCP server: it lets an agent read, search, edit and patch files and run commands in the',
    'directories that you name, and in no others. It keeps every change, so that you can undo it, and traces every call.',
    '.SH COMMANDS',
    ...named.flatMap(describeCommand),
    '.SH OPTIONS',
    ...flags.flatMap((flag) => ['.TP', bold(flagText(flag)), roff(takersOf(flag) + sentence(flag.help))]),
    '.SH EXIT STATUS',
    ...item('0', 'Done.'),
    ...item('1', 'Not done: the call failed, there was nothing to undo, or a file changed since.'),
    ...item('2', 'Wrong use, or the program cannot start: an unknown option, entry or directory.'),
    '.SH FILES',
    ...item(
      '$XDG_STATE_HOME/cofferdam, or ~/.local/state/cofferdam',
      'The journal of changes, the trace of calls and the saved token; --state names another directory.',
    ),
    ...item('.cofferdamignore', 'In a served directory: names of files that no tool shows.'),
    '.SH ENVIRONMENT',
    ...item('COFFERDAM_TOKEN', 'The token of a server over HTTP.'),
    ...item('COFFERDAM_STATE', "The directory of the state, or the address of a fleet's database."),
    '.SH SEE ALSO',
    `The documents beside this page in the package: docs/CLI.md, docs/HTTP.md, docs/SECURITY.md, and ${DIALECTS} for the tools.`,
  ].join('\n')}\n`;
}

function callOf({ name }) {
  return (usage) => (name === 'serve' ? `cofferdam ${usage}` : `cofferdam ${name} ${usage}`.trimEnd());
}

function describeCommand({ usage, help, more = [], call }) {
  return [
    ...usage.flatMap((line, index) => [index === 0 ? '.TP' : '.TQ', bold(call(line))]),
    roff(sentence(help)),
    ...more.flatMap((paragraph) => ['.IP', roff(paragraph)]),
  ];
}

/** The commands that take an option, named only if servers do not take it. */
function takersOf({ for: commands }) {
  return commands === 'every command' || commands.includes('serve') ? '' : `(${commands.join(', ')}) `;
}

function item(term, text) {
  return ['.TP', bold(term), roff(text)];
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function bold(text) {
  return `\\fB${roff(text)}\\fR`;
}

/** Escapes text for roff, where a dot or a quote begins a request at the start of a line, and a hyphen is a dash. */
function roff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '\\&...')
    .replace(/^[.']/, '\\&$&');
}
