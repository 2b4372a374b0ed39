/** Hides what looks like a password, a key or a token in a text such as a command line. */

export const HIDDEN = '•••';

/** Matches only at the start of a word. Matching from every letter would take quadratic time on long words. */
const WORD_START = '(?<![\\w.-])';
const SECRET_NAME =
  '[\\w.-]*(?:passwo?r?d|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|authorization)[\\w-]*';
/** The closing quote is optional: it may be beyond the part that is searched. */
const VALUE = '(?:"[^"]*"?|\'[^\']*\'?|[^\\s"\'&;|]+)';

/** `--password x`: the value is the next word. */
const FLAG = new RegExp(`${WORD_START}([\\w.]*-${SECRET_NAME}["']?\\s+)${VALUE}`, 'gi');
/** `PASSWORD=x`, `"token": "x"`, `Authorization: x`. */
const ASSIGNED = new RegExp(`${WORD_START}(${SECRET_NAME}["']?\\s*[=:]\\s*)${VALUE}`, 'gi');
const SCHEME = /\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi;
const USER_AND_PASSWORD = /((?:^|\s)(?:-u|--user)[\s=]+)\S+:\S+/g;
const IN_ADDRESS = /(\w:\/\/)[^\s/@]+@/g;
const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----.*/gs;
const KNOWN =
  /\b(?:[spr]k[-_][\w-]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|AKIA[A-Z0-9]{12,}|AIza[\w-]{20,}|npm_\w{20,}|eyJ[\w-]{8,}\.[\w.-]+)/g;
const LONG = /[\w+-]{32,}={0,2}/g;

/** How many characters of a text are searched and returned. */
const LONGEST = 1000;

export function withoutSecrets(text: string): string {
  return text
    .slice(0, LONGEST)
    .replace(KEY, HIDDEN)
    .replace(SCHEME, `$1 ${HIDDEN}`)
    .replace(USER_AND_PASSWORD, `$1${HIDDEN}`)
    .replace(IN_ADDRESS, `$1${HIDDEN}@`)
    .replace(FLAG, `$1${HIDDEN}`)
    .replace(ASSIGNED, `$1${HIDDEN}`)
    .replace(KNOWN, HIDDEN)
    .replace(LONG, (word) => (looksRandom(word) ? HIDDEN : word));
}

/** Whether the next word must be a secret, as after `--password` in a list of arguments. */
export function announcesSecret(word: string): boolean {
  return word.length <= LONGEST && ANNOUNCING.test(word);
}

const ANNOUNCING = new RegExp(`^--?${SECRET_NAME}$`, 'i');

/** A hexadecimal hash has no capitals, and a name rarely has both capitals and digits. */
function looksRandom(word: string): boolean {
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);
}
