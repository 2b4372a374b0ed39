/** The parts of an engine: four APIs over one gate. An engine opens them with its first call. */
import { openState, type StateSource } from '../state/directory/open.ts';
import { Access } from './access/access.ts';
import { type CommandSettings, CommandsApi } from './api/commands.ts';
import { FilesApi } from './api/files.ts';
import { SearchApi } from './api/search.ts';
import type { EncodingRule } from './charset/declared.ts';
import type { Wall } from './confine/wall.ts';
import { TextEditor } from './files/edit/text-editor.ts';
import { DeclaredEncodings } from './files/encoding/declared-encodings.ts';
import { Journal } from './journal/journal.ts';
import type { RetentionLimits } from './journal/retention/retention-limits.ts';
import { LazySearch } from './search/lazy-search.ts';

/** What the APIs use. */
interface Shared {
  access: Access;
  editor: TextEditor;
  search: LazySearch;
}

/** What every call needs, from any caller. */
export interface Parts {
  access: Access;
  editor: TextEditor;
  files: FilesApi;
  search: SearchApi;
  commands: CommandsApi;
}

interface EngineOpening {
  wall: Wall;
  settings: CommandSettings;
  journal: StateSource | undefined;
  rules: readonly EncodingRule[];
  keep: RetentionLimits | undefined;
}

export function openParts({ wall, settings, journal: source, rules, keep }: EngineOpening): Parts {
  const journal = source === undefined ? undefined : new Journal(openState(source), keep);
  const search = new LazySearch();
  const roots = wall.roots.map(({ real }) => real);
  const encodings = new DeclaredEncodings(rules, roots);
  const access = new Access({ wall, journal, scanner: search, encodings });
  return apisOver({ access, editor: new TextEditor(), search }, settings);
}

export function apisOver({ access, editor, search }: Shared, settings: CommandSettings): Parts {
  return {
    access,
    editor,
    files: new FilesApi(access, editor),
    search: new SearchApi(access, search),
    commands: new CommandsApi(access, settings),
  };
}

/** The parts of an engine that was closed before its first call: it admits none, like any other closed engine. */
export function closedParts(parts: Parts): Parts {
  void parts.access.close();
  return parts;
}
