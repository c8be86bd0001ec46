/**
 * What a medium is, in the words of IPTC's vocabulary: made by a model, or a photograph that a model changed.
 *
 * Source: https://cv.iptc.org/newscodes/digitalsourcetype/, read 2026-11.
 */
export const digitalSources = ['trainedAlgorithmicMedia', 'compositeWithTrainedAlgorithmicMedia'] as const;
export type DigitalSource = (typeof digitalSources)[number];

/** Name of the property, in XMP and in our ID3 frame. */
export const sourceProperty = 'DigitalSourceType';

/** Returns the address that stands for a source in metadata. */
export function addressOf(source: DigitalSource): string {
  return `http://cv.iptc.org/newscodes/digitalsourcetype/${source}`;
}

/** Returns an XMP packet, in ASCII, that says only what a medium is. */
export function xmpPacket(source: DigitalSource): string {
  return [
    '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"',
    ` Iptc4xmpExt:${sourceProperty}="${addressOf(source)}"/>`,
    '</rdf:RDF></x:xmpmeta><?xpacket end="r"?>',
  ].join('');
}

/** UUID of the box of XMP in MP4 and QuickTime files, in hex. Source: XMP Specification Part 3, 1.2.7.1. */
export const xmpBox = 'be7acfcb97a942e89c71999491e3afac';
