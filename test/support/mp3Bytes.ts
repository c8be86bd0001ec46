/** MPEG layer III built byte by byte: silent frames, and what encoders and taggers add around them. */

export interface Mp3Setup {
  /** Sample rate in Hz, which selects MPEG version 1, 2 or 2.5. */
  readonly sampleRate: 44_100 | 22_050 | 11_025;
  readonly isMono: boolean;
}

const versionBits = { 44100: 0b11, 22050: 0b10, 11025: 0b00 };
/** Bit rates of the indexes 5 to 9, in kbit/s. */
const rates = { 44100: [64, 80, 96, 112, 128], 22050: [40, 48, 56, 64, 80], 11025: [40, 48, 56, 64, 80] };

/** Returns one frame; `rate` from 0 to 4 selects the bit rate. */
export function mp3Frame({ sampleRate, isMono }: Mp3Setup, rate = 4, isPadded = false): Buffer {
  const scale = sampleRate === 44_100 ? 144 : 72;
  const bitRate = rates[sampleRate][rate] ?? 0;
  const frame = Buffer.alloc(Math.floor((scale * bitRate * 1000) / sampleRate) + (isPadded ? 1 : 0));
  frame[0] = 0xff;
  frame[1] = 0xe0 | (versionBits[sampleRate] << 3) | 0b011;
  frame[2] = ((rate + 5) << 4) | (isPadded ? 2 : 0);
  frame[3] = isMono ? 0xc0 : 0x40;
  return frame;
}

/**
 * Returns a mono frame of MPEG-1 that decodes to sound of a `global_gain`, which says so in its side information.
 *
 * @param reservoir bytes of its sound that are in the frames before it
 */
export function soundingFrame(gain: number, reservoir = 0): Buffer {
  const frame = mp3Frame({ sampleRate: 44_100, isMono: true });
  const write = (at: number, count: number, value: number) => {
    for (let bit = 0; bit < count; bit++) {
      const index = at + bit;
      if ((value >> (count - 1 - bit)) & 1) frame[index >> 3] = (frame[index >> 3] ?? 0) | (128 >> (index & 7));
    }
  };
  write(32, 9, reservoir);
  for (const granule of [50, 50 + 59]) {
    write(granule, 12, 1000);
    write(granule + 12, 9, 100);
    write(granule + 21, 8, gain);
    // The first Huffman table for all regions.
    for (const region of [0, 1, 2]) write(granule + 34 + 5 * region, 5, 1);
  }
  return frame.fill(0xa5, 21);
}

/** Returns the silent frame that announces the number of frames. */
export function indexFrame(setup: Mp3Setup, word: 'Xing' | 'Info' | 'VBRI', frames: number): Buffer {
  const frame = mp3Frame(setup);
  const side = setup.sampleRate === 44_100 ? { mono: 17, stereo: 32 } : { mono: 9, stereo: 17 };
  const offset = word === 'VBRI' ? 36 : 4 + (setup.isMono ? side.mono : side.stereo);
  frame.write(word, offset);
  frame.writeUInt32BE(1, offset + 4);
  frame.writeUInt32BE(frames, offset + 8);
  return frame;
}

/** Returns an ID3v2.4 tag that ends in bytes that look like a frame. */
export function id3v2(text: string, hasFooter = false): Buffer {
  const content = Buffer.concat([Buffer.from(text, 'latin1'), mp3Frame({ sampleRate: 44_100, isMono: true })]);
  const flags = hasFooter ? 0x10 : 0;
  const size = [content.length >> 21, (content.length >> 14) & 127, (content.length >> 7) & 127, content.length & 127];
  const rest = Buffer.from([4, 0, flags, ...size]);
  const footer = hasFooter ? [Buffer.from('3DI'), rest] : [];
  return Buffer.concat([Buffer.from('ID3'), rest, content, ...footer]);
}

export function id3v1(title: string): Buffer {
  return Buffer.concat([Buffer.from(`TAG${title}`), Buffer.alloc(128)]).subarray(0, 128);
}

/** Returns an APEv2 tag with a footer and optionally a header; its item looks like frames. */
export function apeTag(hasHeader: boolean): Buffer {
  const frame = mp3Frame({ sampleRate: 44_100, isMono: false });
  const item = Buffer.concat([frame, frame, frame]);
  const mark = (flags: number) => {
    const bytes = Buffer.alloc(32);
    bytes.write('APETAGEX', 0, 'latin1');
    bytes.writeUInt32LE(2000, 8);
    bytes.writeUInt32LE(item.length + 32, 12);
    bytes.writeUInt32LE(1, 16);
    bytes.writeUInt32LE(flags >>> 0, 20);
    return bytes;
  };
  const header = hasHeader ? [mark(0xa0000000)] : [];
  return Buffer.concat([...header, item, mark(hasHeader ? 0x80000000 : 0)]);
}

export function lyrics3(): Buffer {
  const content = Buffer.from('LYRICSBEGININD0000210');
  return Buffer.concat([content, Buffer.from(String(content.length).padStart(6, '0')), Buffer.from('LYRICS200')]);
}
