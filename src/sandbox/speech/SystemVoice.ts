/** A program to start without a shell. */
export interface Program {
  readonly path: string;
  readonly arguments: readonly string[];
  /** Added to the sandbox's own environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface SpokenRequest {
  readonly text: string;
  /** File with the text in UTF-8: unlike an argument, it needs no escaping and has no length limit. */
  readonly textFile: string;
  /** Path of the WAV file to write: 16 bits, any sample rate. */
  readonly soundFile: string;
  /** Speaking rate; 1 is the voice's normal speed. */
  readonly speed: number;
}

/** The speech synthesiser of an operating system. */
export interface SystemVoice {
  /** Written into the files that it spoke. */
  readonly name: string;
  program(request: SpokenRequest): Program;
}

export type FindVoice = () => Promise<SystemVoice | undefined>;
