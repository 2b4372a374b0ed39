/** What every package lets its user choose, in the same words. */
export const TITLE = 'Cofferdam';
export const AUTHOR = 'The Cofferdam authors';

export const DIRECTORIES = {
  title: 'Directories',
  description: 'The directories that the server may use. Nothing outside of them can be reached.',
};

export const READ_ONLY = {
  variable: 'COFFERDAM_READ_ONLY',
  title: 'Read-only',
  description: 'Let no tool change anything.',
};

/** The address of the repository, as browsers take it. */
export function homeOf({ repository }) {
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** The first sentence: lists of tools have room for no more. */
export function shortened(description) {
  return /^.*?[.!?](?=\s|$)/s.exec(description)?.[0] ?? description;
}
