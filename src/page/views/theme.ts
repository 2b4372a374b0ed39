/** Switches between the light theme, the dark theme, and the system's. */
import { part } from './elements/dom.ts';

const CHOICES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof CHOICES)[number];
const LABELS: Record<Theme, string> = { auto: '◐ Auto', light: '☀ Light', dark: '☾ Dark' };
const KEY = 'cofferdam-theme';

export function startTheme(): void {
  const button = part<HTMLButtonElement>('theme');
  let choice = remembered();
  const apply = () => {
    if (choice === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    button.textContent = LABELS[choice];
    button.setAttribute('aria-label', `Colours: ${choice}. Change`);
  };
  button.addEventListener('click', () => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length]!;
    remember(choice);
    apply();
  });
  apply();
}

/** The browser may refuse access to its storage. */
function remembered(): Theme {
  try {
    return CHOICES.find((choice) => choice === localStorage.getItem(KEY)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function remember(choice: Theme): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // The choice only lasts until the user leaves the page.
  }
}
