const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A number of bytes as the official server shows it: `1.50 KB`. */
export function formatSize(bytes: number): string {
  if (bytes <= 0) return '0 B';
  const unit = Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), UNITS.length - 1);
  return unit === 0 ? `${bytes} B` : `${(bytes / 1024 ** unit).toFixed(2)} ${UNITS[unit]}`;
}
