declare module '*.svg' {
  /** The content of the file. */
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild's text loader exports it this way
  export default text;
}

declare module '*.css';
