import { Button, Icon } from '../../shared';

interface StopButtonProps {
  readonly stopping: boolean;
  /** The field is empty, so Esc stops, too. */
  readonly byEsc: boolean;
  readonly onStop: () => void;
}

export function StopButton({ stopping, byEsc, onStop }: StopButtonProps) {
  return (
    <Button data-testid="stop" onClick={onStop} disabled={stopping} {...(byEsc && !stopping ? { keys: 'Esc' } : {})}>
      <Icon name="stop" size={12} />
      {stopping ? 'Stopping…' : 'Stop'}
    </Button>
  );
}
