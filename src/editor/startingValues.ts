import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Settings } from './Settings.ts';

/** The sandbox's model when the settings name none. */
const sandboxModel = 'sandbox-1';

/** Returns the configured value of a field; undefined when no setting covers it. */
export function settingFor(id: OperationId, field: string, settings: Settings): unknown {
  if (field === 'model') return settings.models(id)[0];
  if (field === 'voice') return settings.speechVoice;
  if (field === 'response_format') return settings.speechResponseFormat;
  if (operations[id].area !== 'image') return undefined;
  if (field === 'n') return settings.imageCount;
  return field === 'output_format' ? settings.imageOutputFormat : undefined;
}

/** Returns the models of the settings, then the one used last. */
export function modelNames(listed: readonly string[], last: unknown, sandbox: boolean): readonly string[] {
  const names = [...listed, ...(typeof last === 'string' ? [last] : [])];
  return [...new Set(sandbox ? [...names, sandboxModel] : names)];
}
