/** The message is the rest of a sentence that starts with the picture. */
export class UnreadablePicture extends Error {
  override readonly name = 'UnreadablePicture';
}
