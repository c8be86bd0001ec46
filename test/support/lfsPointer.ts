/** The text that Git leaves in place of a file that Git LFS keeps, until `git lfs pull`. */
export const lfsPointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 1234\n`;
