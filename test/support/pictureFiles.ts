/** Pictures of 64 × 64 pixels made with ffmpeg 5.1, white on the left and black on the right. */

export const jpegFile = Buffer.from(
  `/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgGBgcGBwgICAgICAkJCQoKCgkJCQkKCgoKCgoMDAwKCgoKCgoKDAwMDA0
   ODQ0NDA0ODg8PDxISEREVFRUZGR//xABMAAEBAQAAAAAAAAAAAAAAAAAACAcBAQAAAAAAAAAAAAAAAAAAAAAQAQAAAAAAAAAAAAAAAAAAAAARAQAA
   AAAAAAAAAAAAAAAAAAD/wAARCABAAEADASIAAhEAAxEA/9oADAMBAAIRAxEAPwDfwAAAQAAAAC/wAAAQAAAAC/wAAAQAAAAC/wAAAAEAAAAA/9k=`,
  'base64',
);

/** A lossy WebP: one VP8 chunk. */
export const webpFile = Buffer.from(
  'UklGRj4AAABXRUJQVlA4IDIAAACwAwCdASpAAEAAPm0ylUckIyIhKggAgA2JaQAATRTCUKnJmJBCgAD++yJX/AvAAAAAAA==',
  'base64',
);

/** A lossless WebP: one VP8L chunk. */
export const losslessWebpFile = Buffer.from(
  'UklGRigAAABXRUJQVlA4TBwAAAAvP8APAA8w//M///MfeBALJvOXjqEvov9RBd8B',
  'base64',
);

/** A WebP that starts with a VP8X chunk; its white part is transparent black. */
export const transparentWebpFile = Buffer.from(
  `UklGRmgAAABXRUJQVlA4WAoAAAAQAAAAPwAAPwAAQUxQSBQAAAABDzD/ERFCLJjMXzqGvoj+B1R9B1ZQOCAuAAAAkAMAnQEqQABAAD5tNphJJCMi
   oSIIAIANiWkAABA3U1AFeIW5AAD++5zAAAAAAA==`,
  'base64',
);

/** The JPEG as an upside-down camera saves it: black on the left when displayed. */
export const turnedJpegFile = Buffer.concat([
  jpegFile.subarray(0, 2),
  // APP1 with one Exif entry, orientation (0x0112), of value 3.
  Buffer.from('\xff\xe1\0\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x03\0\0\0\0\0\0', 'latin1'),
  jpegFile.subarray(2),
]);
