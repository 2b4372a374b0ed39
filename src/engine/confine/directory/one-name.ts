/** Refuses what is not a single name: with it, a path in a held directory could lead elsewhere. */
const SEPARATORS = process.platform === 'win32' ? /[/\\:\0]/ : /[/\0]/;

export function oneName(name: string): string {
  if (name === '' || name === '.' || name === '..' || SEPARATORS.test(name)) {
    throw new Error(`not one name: ${JSON.stringify(name)}`);
  }
  return name;
}
