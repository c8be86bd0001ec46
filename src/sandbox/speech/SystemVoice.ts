/** A program and what it is started with; no shell in between. */
export interface Program {
  readonly path: string;
  readonly arguments: readonly string[];
  /** Added to the environment that the sandbox itself has. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface SpokenRequest {
  readonly text: string;
  /** Holds the text in UTF-8. It is passed in a file so that no shell, option or length limit can get in its way. */
  readonly textFile: string;
  /** Where the WAV file shall lie: 16 bits, any rate. */
  readonly soundFile: string;
  /** 1 is the voice's own speed. */
  readonly speed: number;
}

/** The voice of an operating system. */
export interface SystemVoice {
  /** Told in the files that it spoke. */
  readonly name: string;
  program(request: SpokenRequest): Program;
}

export type FindVoice = () => Promise<SystemVoice | undefined>;
