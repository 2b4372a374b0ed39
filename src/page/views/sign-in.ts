/** Opens a session with a token from the URL or from the form. The page never stores the token. */
import { ApiError, about, openSession } from '../connection/api.ts';
import type { About } from '../wire.ts';
import { part } from './elements/dom.ts';

const IN_ADDRESS = /#token=(.+)$/s;

/** The token after the `#`. Removes it from the URL and the history before anything else happens. */
export function takeToken(): string | undefined {
  if (!IN_ADDRESS.test(location.hash)) return undefined;
  const token = tokenIn(location.hash);
  history.replaceState(null, '', location.pathname);
  return token;
}

/** The token in a URL, or the text itself. */
function tokenIn(text: string): string {
  const token = IN_ADDRESS.exec(text)?.[1];
  if (token === undefined) return text;
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** Asks for a token until one is valid; returns what the server says about it. */
export async function signIn(token: string | undefined, why = ''): Promise<About> {
  let shown = token;
  let message = why;
  for (;;) {
    try {
      if (shown !== undefined) await openSession(shown);
      if (message === '' || shown !== undefined) return await about();
    } catch (error) {
      message = reasonOf(error, shown !== undefined);
    }
    shown = await askForToken(message);
  }
}

function reasonOf(error: unknown, hadToken: boolean): string {
  if (!(error instanceof ApiError)) return 'The server does not answer. Is it still running?';
  if (error.status === 401) return hadToken ? 'That token is not valid.' : 'Enter a token to see the calls.';
  return error.message;
}

function askForToken(message: string): Promise<string> {
  const view = part('sign-in');
  const input = part<HTMLInputElement>('token');
  const form = part<HTMLFormElement>('token-form');
  part('sign-in-message').textContent = message;
  view.hidden = false;
  part('app').hidden = true;
  input.value = '';
  input.focus();
  return new Promise((resolve) => {
    const answered = new AbortController();
    const give = (token: string | undefined) => {
      if (!token) return;
      answered.abort();
      input.value = '';
      part('sign-in-message').textContent = 'Signing in…';
      resolve(token);
    };
    const submit = (event: Event) => {
      event.preventDefault();
      give(tokenIn(input.value.trim()));
    };
    form.addEventListener('submit', submit, { signal: answered.signal });
    addEventListener('hashchange', () => give(takeToken()), { signal: answered.signal });
  });
}
