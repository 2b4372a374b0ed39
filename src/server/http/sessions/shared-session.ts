/** The part of a session that the servers of a fleet share: the workspace that its client chose, and its roots. */
import type { Session } from '../../../dialects/dialect.ts';
import type { SessionFacts, Sessions, StoredSession } from '../../../state/sessions.ts';
import type { SharedPaths } from '../../../state/state.ts';
import type { App } from '../../mcp/app.ts';
import type { ClientRoots } from '../../mcp/client-roots.ts';
import type { SessionMemory } from '../../mcp/library/session.ts';

export interface SharedSessionParts {
  app: App;
  /** The key of the session in the store. */
  key: string;
  store: Sessions;
  paths: SharedPaths | undefined;
  state: Session;
}

export class SharedSession implements SessionMemory {
  readonly #parts: SharedSessionParts;
  #roots: ClientRoots | undefined;
  #revision: number | undefined;
  /** The workspace in the store. */
  #workspace: string | undefined;
  #applying: Promise<void> | undefined;

  constructor(parts: SharedSessionParts) {
    this.#parts = parts;
  }

  follow(roots: ClientRoots): void {
    this.#roots = roots;
  }

  /** Applies what other servers have stored in the meantime. */
  apply(stored: StoredSession): Promise<void> | undefined {
    if (!this.#applying && stored.revision === this.#revision) return undefined;
    const applying = (this.#applying ?? Promise.resolve())
      .then(() => this.#apply(stored))
      .finally(() => {
        if (this.#applying === applying) this.#applying = undefined;
      });
    this.#applying = applying;
    return applying;
  }

  /** Stores a new workspace: other servers must know it before the client gets its answer. */
  async callEnded(): Promise<void> {
    const { state, paths } = this.#parts;
    const chosen = state.workspaceIsFixed ? undefined : state.workspace?.roots[0]?.real;
    const workspace = chosen === undefined ? undefined : (paths?.toShared(chosen) ?? chosen);
    if (workspace === undefined || workspace === this.#workspace) return;
    try {
      await this.#remember({ workspace });
    } catch (error) {
      // Forget the revision, so that the next request applies what is in the store.
      this.#revision = undefined;
      throw error;
    }
  }

  async rootsNamed(named: readonly string[]): Promise<void> {
    const { paths } = this.#parts;
    await this.#remember({ roots: named.map((path) => paths?.toShared(path) ?? path) });
  }

  /** The client's roots have changed: the server that needs them next asks for them. */
  async rootsChanged(): Promise<void> {
    await this.#remember({ roots: undefined });
  }

  async #remember(facts: SessionFacts): Promise<void> {
    const { store, key } = this.#parts;
    const stored = await store.change(key, (before) => ({ ...before, ...facts }));
    if (!stored) return;
    this.#revision = stored.revision;
    this.#workspace = stored.facts.workspace as string | undefined;
  }

  async #apply({ revision, facts }: StoredSession): Promise<void> {
    if (revision === this.#revision) return;
    const { workspace, roots } = facts as { workspace?: string; roots?: readonly string[] };
    await this.#useWorkspace(workspace);
    if (roots) await this.#roots?.use(roots.map((path) => this.#here(path)));
    else this.#roots?.forget();
    this.#revision = revision;
  }

  async #useWorkspace(workspace: string | undefined): Promise<void> {
    const { app, state } = this.#parts;
    const isHere = state.workspace !== undefined && workspace === this.#workspace;
    if (state.workspaceIsFixed || workspace === undefined || isHere) return;
    const left = state.workspace;
    delete state.workspace;
    void left?.close();
    const chosen = await app.engine.within(this.#here(workspace)).catch(() => undefined);
    if (chosen) state.workspace = chosen;
    this.#workspace = workspace;
  }

  #here(path: string): string {
    return this.#parts.paths?.fromShared(path) ?? path;
  }
}
