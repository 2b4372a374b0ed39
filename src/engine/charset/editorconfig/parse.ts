/** Reads what an .editorconfig says about encodings; its other properties are for editors. */
import { type Charset, charsetNamed } from '../names.ts';
import { SectionGlob } from './section-glob.ts';

/** The size in bytes that no real file exceeds. The rest of a longer file is not read. */
export const LONGEST_CONFIG = 64 * 1024;
const MOST_SECTIONS = 256;

export interface EditorConfig {
  /** Whether files in the directories above are ignored. */
  isRoot: boolean;
  sections: readonly { glob: SectionGlob; charset: Charset | 'unset' }[];
}

/** Skips lines that it does not understand, as editors do. */
export function parseEditorConfig(text: string): EditorConfig {
  const sections: { glob: SectionGlob; charset: Charset | 'unset' }[] = [];
  let isRoot = false;
  let heading: string | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith(';')) continue;
    if (trimmed.startsWith('[') && trimmed.endsWith(']')) {
      heading = trimmed.slice(1, -1);
      continue;
    }
    const equals = trimmed.indexOf('=');
    if (equals < 0) continue;
    const name = trimmed.slice(0, equals).trimEnd().toLowerCase();
    const value = trimmed
      .slice(equals + 1)
      .trimStart()
      .toLowerCase();
    if (heading === undefined) {
      if (name === 'root') isRoot = value === 'true';
      continue;
    }
    const charset = name !== 'charset' ? undefined : value === 'unset' ? value : charsetNamed(value);
    if (charset !== undefined && sections.length < MOST_SECTIONS)
      sections.push({ glob: new SectionGlob(heading), charset });
  }
  return { isRoot, sections };
}

/** The last section that matches decides. `path` is relative to the directory of the file. */
export function charsetIn({ sections }: EditorConfig, path: string): Charset | 'unset' | undefined {
  return sections.findLast(({ glob }) => glob.matches(path))?.charset;
}
