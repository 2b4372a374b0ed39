/** The text with a newline at its end, so that what follows is on a line of its own. */
export function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
