import * as vscode from 'vscode';
import type { Caller } from '../../editor/runCommand.ts';
import { settingFor } from '../../editor/startingValues.ts';
import type { DocumentToken, PlaceReference } from '../../jobs/JobRecord.ts';
import type { RunOptions } from '../../jobs/JobRun.ts';
import type { JobInput } from '../../jobs/JobRunner.ts';
import type { Asset } from '../../library/Asset.ts';
import type { OperationId } from '../../operations/operations.ts';
import { completeRequest, takeFiles } from './completeRequest.ts';
import { isConfirmed } from './isConfirmed.ts';
import type { OperationDependencies } from './OperationDependencies.ts';
import { withJobProgress } from './withJobProgress.ts';

/** A request, and the place for its result. */
export interface PlacedRequest {
  readonly operation: OperationId;
  /** As on the wire; missing fields are asked for. */
  readonly fields: unknown;
  readonly place: PlaceReference;
  /** The document that a transcript is for. */
  readonly into?: DocumentToken;
}

export interface PlacedOptions {
  /** Title of the progress notification. */
  readonly title: string;
  readonly caller: Caller;
  /** Whether a person is asked for the model even when one is known. */
  readonly asksModel: boolean;
  /** Whether the person has already agreed to everything that is sent. */
  readonly isConfirmed?: boolean;
  /** Cancels all requests, as far as they can be cancelled. */
  readonly signal?: AbortSignal;
  /** Called for each job before sending. If it throws, nothing of the job is sent. */
  beforeSending?(): void;
}

export type PlacedResult = PromiseSettledResult<readonly Asset[]>;

/**
 * Runs requests in parallel, each for its own place. Saved files are neither opened nor announced.
 *
 * @returns the outcome of each, in their order; undefined when the person dismissed a question
 * @throws MediaError when nothing was sent
 */
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
