import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Settings } from './Settings.ts';

/** What the sandbox's models are called when the settings name none. */
const sandboxModel = 'sandbox-1';

/** What the settings say for a field, where one of them does. */
export function settingFor(id: OperationId, field: string, settings: Settings): unknown {
  if (field === 'model') return settings.models(id)[0];
  if (field === 'voice') return settings.speechVoice;
  if (field === 'response_format') return settings.speechResponseFormat;
  if (operations[id].area !== 'image') return undefined;
  if (field === 'n') return settings.imageCount;
  return field === 'output_format' ? settings.imageOutputFormat : undefined;
}

/** Models to choose from: those of the settings, then the one used last. */
export function modelNames(listed: readonly string[], last: unknown, sandbox: boolean): readonly string[] {
  const names = [...listed, ...(typeof last === 'string' ? [last] : [])];
  return [...new Set(sandbox ? [...names, sandboxModel] : names)];
}
