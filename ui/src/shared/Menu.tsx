import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

import { Icon, type IconName } from './Icon';

export interface MenuItem {
  readonly label: ReactNode;
  readonly onSelect: () => void;
  readonly icon?: IconName;
  /** On the right, in grey: distinguishes similar items. */
  readonly note?: ReactNode;
  readonly checked?: boolean;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Choosing it keeps the menu open. */
  readonly keepOpen?: boolean;
  readonly testId?: string;
}

/** Items in groups; a group may have a heading. */
export interface MenuGroup {
  readonly heading?: ReactNode;
  readonly items: readonly MenuItem[];
}

interface MenuProps {
  readonly children: ReactNode;
  readonly groups: readonly MenuGroup[];
  readonly align?: 'start' | 'end';
  /** Below the items: an explanation, an error. */
  readonly footer?: ReactNode;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
}

/** `children` is the button that opens it. Not modal, so that nothing is injected into the page. */
export function Menu({ children, groups, align = 'start', footer, open, onOpenChange }: MenuProps) {
  return (
    <Radix.Root modal={false} {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-40 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-pop overflow-y-auto rounded-pop border border-line bg-surface-raised p-1 text-ui text-fg shadow-2"
        >
          {groups.map((group, at) => (
            <Radix.Group key={at} className={at > 0 ? 'mt-1 border-t border-line pt-1' : ''}>
              {group.heading && (
                <Radix.Label className="px-2 pt-1 pb-0.5 text-meta font-medium text-fg-3">{group.heading}</Radix.Label>
              )}
              {group.items.map((item, index) => (
                <Item key={index} item={item} />
              ))}
            </Radix.Group>
          ))}
          {footer && <div className="mt-1 border-t border-line px-2 pt-1.5 pb-1 text-small text-fg-3">{footer}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Item({ item }: { item: MenuItem }) {
  const look = item.danger ? 'text-danger' : 'text-fg';
  const content = (
    <>
      {item.checked === undefined ? (
        item.icon && <Icon name={item.icon} size={14} className={item.danger ? '' : 'text-fg-2'} />
      ) : (
        <Icon name="check" size={14} className={item.checked ? 'text-accent' : 'invisible'} />
      )}
      <span className="cut flex-1">{item.label}</span>
      {item.note && <span className="shrink-0 text-small text-fg-3">{item.note}</span>}
    </>
  );
  const shared = {
    onSelect: (event: Event) => {
      if (item.keepOpen) event.preventDefault();
      item.onSelect();
    },
    disabled: item.disabled ?? false,
    'data-testid': item.testId,
    className: `flex min-h-7 items-center gap-2 rounded-control px-2 outline-none data-disabled:text-fg-3 data-highlighted:bg-selected ${look}`,
  };
  return item.checked === undefined ? (
    <Radix.Item {...shared}>{content}</Radix.Item>
  ) : (
    <Radix.CheckboxItem {...shared} checked={item.checked}>
      {content}
    </Radix.CheckboxItem>
  );
}
