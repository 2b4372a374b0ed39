/** Units of work that name some files of one directory. A unit without names is the directory itself. */

/** How many files one thread takes at a time. */
export const FILES_A_UNIT = 64;
/** Separates the directory and the names in a unit. No path contains it. */
const SEPARATOR = '\0';

export function fileUnit(directory: string, names: readonly string[]): string {
  return [directory, ...names].join(SEPARATOR);
}

/** The units for all names from an index on. */
export function fileUnits(directory: string, names: readonly string[], from = 0): string[] {
  const units: string[] = [];
  for (let at = from; at < names.length; at += FILES_A_UNIT) {
    units.push(fileUnit(directory, names.slice(at, at + FILES_A_UNIT)));
  }
  return units;
}

export function directoryOfUnit(unit: string): string {
  const separator = unit.indexOf(SEPARATOR);
  return separator < 0 ? unit : unit.slice(0, separator);
}

/** Undefined if the unit is a directory. */
export function namesOfUnit(unit: string): string[] | undefined {
  const separator = unit.indexOf(SEPARATOR);
  return separator < 0 ? undefined : unit.slice(separator + 1).split(SEPARATOR);
}
