import { registerHooks } from 'node:module';

let stubs = 0;

/**
 * Imports a module that imports VS Code, with an object in its place. For code that needs little of the editor; the
 * integration tests run the real one. Of the rooms that import VS Code, each call loads its own copies.
 *
 * @param file URL of the module
 * @param editor stays the same object, so that a test may change it later
 */
export async function importWithEditor<Module>(file: URL, editor: Readonly<Record<string, unknown>>): Promise<Module> {
  const key = `editor ${++stubs}`;
  Object.assign(globalThis, { [key]: editor });
  const names = Object.keys(editor).map((name) => `export const ${name} = editor.${name};`);
  const source = `const editor = globalThis[${JSON.stringify(key)}]; ${names.join(' ')}`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === 'vscode') {
        return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true };
      }
      const resolved = next(specifier, context);
      const { url } = resolved;
      return /\/src\/(?:editor|features)\//.test(url) ? { ...resolved, url: `${url}?stub=${stubs}` } : resolved;
    },
  });
  try {
    return await import(file.href);
  } finally {
    hooks.deregister();
  }
}
