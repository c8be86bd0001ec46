import { stat } from 'node:fs/promises';
import type { EncodedPacket } from 'mediabunny';
import { EncodedAudioPacketSource, FilePathTarget, Output } from 'mediabunny';
import type { SoundTrack } from './SoundTrack.ts';
import type { SoundPart } from './tasks.ts';

/** Writes packets of a track into a file whose time starts at the first packet. */
export class SoundWriter {
  readonly #output: Output;
  readonly #source: EncodedAudioPacketSource;
  readonly #file: string;
  readonly #config: AudioDecoderConfig;
  #start: number | undefined;
  #end = 0;

  private constructor({ codec, format }: SoundTrack, file: string, config: AudioDecoderConfig) {
    this.#file = file;
    this.#config = config;
    this.#output = new Output({ format: format.create(), target: new FilePathTarget(file) });
    this.#source = new EncodedAudioPacketSource(codec);
    this.#output.addAudioTrack(this.#source);
  }

  static async open(sound: SoundTrack, file: string): Promise<SoundWriter> {
    const config = await sound.track.getDecoderConfig();
    if (!config) throw new Error('the file has no decoder configuration for its sound');
    const writer = new SoundWriter(sound, file, config);
    await writer.#output.start();
    return writer;
  }

  async add(packet: EncodedPacket): Promise<void> {
    // Packets with negative times only prepare the decoder.
    this.#start ??= packet.timestamp;
    this.#end = packet.timestamp + packet.duration;
    const moved = packet.clone({ timestamp: Math.max(0, packet.timestamp - this.#start) });
    await this.#source.add(moved, { decoderConfig: this.#config });
  }

  async finish(): Promise<SoundPart> {
    await this.#output.finalize();
    const { size: bytes } = await stat(this.#file);
    return { file: this.#file, bytes, start: Math.max(0, this.#start ?? 0), end: this.#end };
  }
}
