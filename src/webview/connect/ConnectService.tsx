import { useState } from 'preact/hooks';
import type { Setup } from '../protocol/messages.ts';
import type { ConnectedService } from '../protocol/service.ts';
import { ModelChoices } from './ModelChoices.tsx';
import { ServiceForm } from './ServiceForm.tsx';

/** The form that connects a service while none is connected, followed by the choice of its models. */
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
  // The host saves the service before it replies, so `unconnected` may be gone while the form still waits.
  if (!unconnected && !isTrying) return null;
  return <ServiceForm scheme={unconnected?.scheme ?? ''} onTrying={setTrying} onConnected={setService} />;
}
