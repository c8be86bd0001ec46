/** Makes Enter in a field, and Ctrl+Enter or Cmd+Enter anywhere in a panel, do what its button does. */
export function onEnter(run: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' || event.repeat || event.isComposing) return;
    const isField = event.target instanceof HTMLInputElement;
    if (!isField && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    // The composer would send its request.
    event.stopPropagation();
    run();
  };
}
