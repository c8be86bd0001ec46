import * as vscode from 'vscode';

/** Length of each unit in seconds, largest first. */
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Shared, because lists format thousands of dates. */
const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto' });

/** Returns the time since a moment, such as "3 hours ago". */
export function ageOf(createdAt: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(createdAt)) / 1000);
  const [unit, length] =
    units.find(([, unitLength]) => seconds >= unitLength) ?? (['second', Number.POSITIVE_INFINITY] as const);
  return format.format(-Math.floor(seconds / length) || 0, unit);
}
