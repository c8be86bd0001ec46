declare module '*.svg' {
  /** The file as it is. */
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild gives a file of text this way
  export default text;
}

declare module '*.css';
