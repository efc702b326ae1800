import { Component, h, type ComponentType, type FunctionComponent } from 'preact';

/** Draws again only when a property changed (compared one by one). */
export function memo<P extends object>(Inner: ComponentType<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const before = this.props as Record<string, unknown>;
      const after = next as Record<string, unknown>;
      return Object.keys(after).some((name) => after[name] !== before[name]);
    }
    override render() {
      return h(Inner, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
