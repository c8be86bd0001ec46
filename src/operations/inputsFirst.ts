/**
 * Yields nodes and everything that they are made from, each once and after its inputs. It does not recurse, as others
 * decide how long a chain is.
 *
 * @param inputsOf is asked once for each node
 * @param onCircle gets the way from a start to a node that is its own input; by default the way ends there
 */
export function* inputsFirst<Node>(
  starts: Iterable<Node>,
  inputsOf: (node: Node) => Iterable<Node>,
  onCircle?: (way: readonly Node[]) => void,
): Generator<Node> {
  /** Whether a node was yielded, of all that were reached. */
  const isDone = new Map<Node, boolean>();
  for (const start of starts) {
    const way: { readonly node: Node; readonly inputs: Iterator<Node> }[] = [];
    const enter = (node: Node) => {
      if (isDone.get(node) === false) onCircle?.([...way.map((one) => one.node), node]);
      if (isDone.has(node)) return;
      isDone.set(node, false);
      way.push({ node, inputs: inputsOf(node)[Symbol.iterator]() });
    };
    enter(start);
    for (let last = way.at(-1); last; last = way.at(-1)) {
      const input = last.inputs.next();
      if (!input.done) {
        enter(input.value);
        continue;
      }
      way.pop();
      isDone.set(last.node, true);
      yield last.node;
    }
  }
}
