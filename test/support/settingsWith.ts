import { contributedSettings } from '../../src/contributions.ts';
import type { Settings } from '../../src/editor/Settings.ts';

type Name = Parameters<Settings['get']>[0];

/** Settings at their defaults, except for these. */
export function settingsWith(values: Readonly<Partial<Record<Name, unknown>>> = {}): Pick<Settings, 'get'> {
  return { get: ((name: Name) => values[name] ?? contributedSettings[name].default) as Settings['get'] };
}
