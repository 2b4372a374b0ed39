// What the scripts that write Markdown share.

/** The text for a cell of a table. */
export function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

export function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
