import type * as vscode from 'vscode';
import type { Preview } from '../../agents/ToolResult.ts';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../jobs/JobList.ts';
import type { RunOptions } from '../../jobs/JobRun.ts';
import type { JobInput } from '../../jobs/JobRunner.ts';
import type { Asset } from '../../library/Asset.ts';

/** What the tools for agents need from other parts of the extension. */
export interface AgentParts {
  isPrivateAddress(host: string): boolean;
  /** Returns the length of a recording; undefined when it is unknown. */
  secondsOf(path: string): Promise<number | undefined>;
  /** Returns a small picture of an image; undefined when the image cannot be decoded. */
  previewOf(path: string): Promise<Preview | undefined>;
}

export interface AgentDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady'>;
  readonly places: WorkspacePlaces;
  readonly jobs: JobList;
  readonly models: ModelSuggestions;
  readonly log: vscode.LogOutputChannel;
  readonly runs: { runJob(input: JobInput, options: RunOptions, id?: string): Promise<readonly Asset[]> };
  readonly context: Pick<
    vscode.ExtensionContext,
    'globalState' | 'workspaceState' | 'secrets' | 'globalStorageUri' | 'environmentVariableCollection' | 'extension'
  >;
  /** Loads the writer of references. */
  readonly references: () => Promise<Pick<ReferenceWriter, 'referenceTo'>>;
  /** Loads what the tools need from other parts of the extension. */
  readonly load: () => Promise<AgentParts>;
}
