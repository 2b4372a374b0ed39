/** What `import … from 'cofferdam'` provides. */
export * from '../engine/index.ts';
export type {
  InputSchema,
  ModelTools,
  ToolAnswer,
  ToolCallOptions,
  ToolDeclaration,
  ToolsOptions,
} from './model-tools.ts';
export { type OpenOptions, open } from './open.ts';
export type { Edit, Found, OpenFiles, PatchedFile, SearchOptions } from './open-files.ts';
