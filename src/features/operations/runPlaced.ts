import * as vscode from 'vscode';
import type { PlacedOptions, PlacedRequest, PlacedResult } from '../../editor/PlacedRuns.ts';
import { settingFor } from '../../editor/startingValues.ts';
import type { Asset } from '../../library/Asset.ts';
import type { OperationId } from '../../operations/operations.ts';
import type { RunOptions } from '../../work/JobRun.ts';
import type { JobInput } from '../../work/JobRunner.ts';
import { completeRequest, takeFiles } from './completeRequest.ts';
import { isConfirmed } from './isConfirmed.ts';
import type { OperationDependencies } from './OperationDependencies.ts';
import { withJobProgress } from './withJobProgress.ts';

/** See `PlacedRuns.runPlaced`. */
export async function runPlaced(
  requests: readonly PlacedRequest[],
  { title, caller, asksModel, isConfirmed: isAgreed = false, signal, beforeSending }: PlacedOptions,
  dependencies: OperationDependencies,
  runJob: (input: JobInput, options: RunOptions) => Promise<readonly Asset[]>,
): Promise<readonly PlacedResult[] | undefined> {
  const { settings, service, lastUsed } = dependencies;
  for (const id of new Set(requests.map(({ operation }) => operation))) await service.checkReady(id);
  const sandbox = settings.usesSandbox;
  service.open(sandbox).catch(() => undefined);
  const models = new Map<OperationId, unknown>();
  const inputs: JobInput[] = [];
  for (const { operation, fields, place, into } of requests) {
    const { given } = takeFiles(operation, fields);
    const model = models.get(operation) ?? (asksModel ? undefined : knownModel(operation, sandbox, dependencies));
    const base = vscode.Uri.parse(place.root, true);
    const completing = { asksAll: asksModel && !models.has(operation), sandbox, base, videos: [], start: {} };
    const all = model === undefined ? given : { model, ...given };
    const request = await completeRequest(operation, all, completing, dependencies);
    if (!request) return undefined;
    models.set(operation, request.model);
    inputs.push({ operation, request, place, sandbox, ...(into ? { into } : {}) });
    if (caller === 'program') continue;
    const { prompt } = { prompt: undefined, ...request };
    const remembered = requests.length === 1 && prompt !== undefined ? { prompt } : {};
    // Remembered before sending, so that nobody has to type it again after a failure.
    const last = lastUsed.get(operation, sandbox);
    await lastUsed.set(operation, sandbox, { ...last, model: request.model, ...remembered });
  }
  if (caller !== 'program' && !isAgreed) {
    for (const { operation, request } of inputs) {
      if (!(await isConfirmed(operation, [request], settings.confirmAbove))) return undefined;
    }
  }
  return withJobProgress(title, caller, (options) => {
    const running: RunOptions = {
      ...options,
      ...(signal ? { signal: AbortSignal.any([signal, options.signal]) } : {}),
      ...(beforeSending ? { beforeSending } : {}),
    };
    return Promise.allSettled(inputs.map((input) => runJob(input, running)));
  });
}

/** Returns the model to use without asking: the first of the settings, the one used last, or the only one known. */
function knownModel(id: OperationId, sandbox: boolean, { settings, models, lastUsed }: OperationDependencies): unknown {
  const [only, ...others] = models.names(id, sandbox);
  return (
    settingFor(id, 'model', settings) ?? lastUsed.get(id, sandbox).model ?? (others.length === 0 ? only : undefined)
  );
}
