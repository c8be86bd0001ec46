import { useState } from 'preact/hooks';
import type { Setup } from '../protocol/messages.ts';
import type { ConnectedService } from '../protocol/service.ts';
import { ModelChoices } from './ModelChoices.tsx';
import { ServiceForm } from './ServiceForm.tsx';

/** Asks for a service where none is connected, then for its models. */
export function ConnectService({ unconnected }: { readonly unconnected: Setup['unconnected'] }) {
  const [isTrying, setTrying] = useState(false);
  const [service, setService] = useState<ConnectedService>();
  if (service) {
    const end = (): void => {
      setService(undefined);
      document.querySelector<HTMLElement>('.prompt, .drop-hint')?.focus();
    };
    return <ModelChoices service={service} onDone={end} />;
  }
  // The host saves the address before it replies, and from then on a service is connected.
  if (!unconnected && !isTrying) return null;
  return <ServiceForm scheme={unconnected?.scheme ?? ''} onTrying={setTrying} onConnected={setService} />;
}
