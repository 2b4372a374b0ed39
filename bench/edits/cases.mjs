/**
 * The ways in which edits are spoiled, as rows of one table. Each row names one mishap for edits by text, for edits by
 * anchors and for patches, as far as it can happen to them.
 */

/** In a row with `never`, any change of the file is wrong. */
const ROWS = [
  { title: 'right', text: 'as it is', anchors: 'as it is', patch: 'as it is' },
  { title: 'indented further', text: 'more indentation', patch: 'shifted indentation' },
  { title: 'indented less', text: 'less indentation' },
  { title: 'tabs for blanks', text: 'tabs for blanks', patch: 'tabs for blanks' },
  { title: 'blanks for tabs', text: 'blanks for tabs' },
  { title: 'typographic quotes', text: 'curly quotes', patch: 'curly quotes' },
  { title: 'the same in a part of a line', text: 'a part of a line in curly quotes' },
  { title: 'blanks at the end of lines', text: 'trailing blanks', patch: 'trailing blanks' },
  { title: 'a file with CRLF', text: 'line ends of the file', patch: 'line ends of the file' },
  {
    title: 'lines that are new above',
    text: 'new lines above and below',
    anchors: 'new lines above',
    patch: 'lines that are new above',
  },
  {
    title: 'a line that has changed since',
    text: 'context that has changed since',
    anchors: 'a line in it that has changed since',
    patch: 'context that has changed since',
  },
  { title: 'wrong line numbers', anchors: 'wrong line numbers', patch: 'wrong lines' },
  { title: 'wrong counts in @@', patch: 'wrong counts' },
  { title: 'no counts in @@', patch: 'no counts' },
  { title: 'a bare @@', patch: 'bare headers' },
  { title: '*** Begin Patch', patch: 'the other form' },
  { title: 'a mistyped hash', anchors: 'a mistyped hash' },
  { title: 'too little, which stands twice', text: 'too little of it' },
  { title: 'lines left out as "..."', text: 'lines left out', patch: 'lines left out', never: true },
];

export const rowTitles = ROWS.map(({ title }) => title);

/** The rows for one kind of edit. `caseOf` gives the spoiled edit, or undefined if it cannot be spoiled that way. */
export function rowsFor(kind, spoils) {
  const named = {
    text: { 'as it is': (edit) => edit, ...spoils.TOLERABLE, ...spoils.INTOLERABLE },
    anchors: { ...spoils.TOLERABLE_IN_ANCHORS, ...spoils.INTOLERABLE_IN_ANCHORS },
    patch: { ...spoils.TOLERABLE_IN_PATCHES, ...spoils.INTOLERABLE_IN_PATCHES },
  }[kind];
  const make = { text: textCase, anchors: anchorsCase, patch: patchCase }[kind];
  return ROWS.map(({ title, [kind]: name, never }) => {
    if (name === undefined) return { title };
    const spoil = named[name];
    if (!spoil) throw new Error(`there is no ${name} for ${kind}`);
    return {
      title,
      never,
      caseOf: (edit, random, labels) => make({ spoil, edit, random, labels, spoils, name }),
    };
  });
}

/** This mishap leaves out a part of the text on purpose, so the rest still occurs in the file. */
const SHORTENED = 'too little of it';

/** Skips an edit whose spoiled text still occurs in the file exactly: the edit would then be right. */
function textCase({ spoil, edit, random, name }) {
  const spoiled = spoil(edit, random);
  if (!spoiled || name === 'as it is') return spoiled && { ...spoiled, now: spoiled.source };
  const { source, oldText, newText } = spoiled;
  if (source === edit.source && oldText === edit.oldText) return undefined;
  if (name !== SHORTENED && source.includes(oldText) && newText !== edit.newText) return undefined;
  return { ...spoiled, now: source };
}

function anchorsCase({ spoil, edit, random, labels }) {
  return spoil(edit, labels, random);
}

function patchCase({ spoil, edit, random, spoils }) {
  const { source, expected } = edit;
  const names = { oldName: 'a/file', newName: 'b/file', context: 1 + random(3) };
  const spoiled = spoil({ source, expected, patch: spoils.unifiedDiff(source, expected, names) }, random);
  return spoiled && { ...spoiled, now: spoiled.source };
}
