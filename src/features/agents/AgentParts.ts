import type { Preview } from '../../agents/ToolResult.ts';

/** What the tools for agents need from other parts of the extension. */
export interface AgentParts {
  isPrivateAddress(host: string): boolean;
  /** Returns the length of a recording; undefined when it is unknown. */
  secondsOf(path: string): Promise<number | undefined>;
  /** Returns a small picture of an image; undefined when the image cannot be decoded. */
  previewOf(path: string): Promise<Preview | undefined>;
}
