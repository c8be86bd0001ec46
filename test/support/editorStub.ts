import { registerHooks } from 'node:module';

/**
 * Imports a module that imports VS Code, with an object in its place. For code that needs little of the editor; the
 * integration tests run the real one.
 *
 * @param file URL of the module; it and what it imports are loaded once per process, so each needs a stub only once
 * @param editor stays the same object, so that a test may change it later
 */
export async function importWithEditor<Module>(file: URL, editor: Readonly<Record<string, unknown>>): Promise<Module> {
  const key = `editor of ${file.pathname}`;
  Object.assign(globalThis, { [key]: editor });
  const names = Object.keys(editor).map((name) => `export const ${name} = editor.${name};`);
  const source = `const editor = globalThis[${JSON.stringify(key)}]; ${names.join(' ')}`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vscode'
        ? { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
        : next(specifier, context),
  });
  try {
    return await import(file.href);
  } finally {
    hooks.deregister();
  }
}
