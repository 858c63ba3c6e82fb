import { kinds } from './kinds';
import { Select } from '../../shared/Select';

interface KindSelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (kind: string) => void;
  readonly className?: string;
}

export function KindSelect({ label, value, onChange, className = 'w-32' }: KindSelectProps) {
  return (
    <Select label={label} value={value} onChange={onChange} className={className}>
      {!kinds.some(([key]) => key === value) && <option value={value}>{value}</option>}
      {kinds.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </Select>
  );
}
