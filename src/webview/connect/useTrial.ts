import { useState } from 'preact/hooks';
import { post, request } from '../host.ts';
import type { BodyOf } from '../protocol/messages.ts';
import type { ConnectedService, ConnectProblem } from '../protocol/service.ts';

interface TrialEvents {
  onTrying(isTrying: boolean): void;
  onProblem(problem: ConnectProblem): void;
  onConnected(service: ConnectedService): void;
}

/** Asks the host to connect a service, and reports the outcome. */
export function useTrial({ onTrying, onProblem, onConnected }: TrialEvents) {
  const [isTrying, setTrying] = useState(false);
  const setBoth = (is: boolean): void => {
    setTrying(is);
    onTrying(is);
  };
  const connect = async (body: BodyOf<'connect'>): Promise<void> => {
    setBoth(true);
    try {
      const { problem, connected } = await request('connect', body);
      if (problem) onProblem(problem);
      if (connected) onConnected(connected);
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      onProblem({ step: 'settings', sentence, isProxy: false, canSkip: false });
    } finally {
      setBoth(false);
    }
  };
  return { isTrying, connect, stop: () => post('stopConnecting', {}) };
}
