/** Calls a function whenever the theme changes, for what is drawn with its colours. @returns a function that ends it */
export function followTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  // VS Code names the theme there.
  observer.observe(document.body, { attributes: true });
  return () => observer.disconnect();
}
