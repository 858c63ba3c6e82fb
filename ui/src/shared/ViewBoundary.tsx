import { Component, type ReactNode } from 'react';

import { ErrorBox } from './Banner';
import { LinkButton } from './Button';

interface ViewBoundaryProps {
  readonly children: ReactNode;
  /** The view's content: a different subject is rendered even after an error. */
  readonly subject?: string | null;
  /** Closes a view that covers the window; its error is shown over the window, too. */
  readonly onClose?: () => void;
}

interface ViewBoundaryState {
  readonly fault: { readonly message: string } | null;
  readonly subject: string | null | undefined;
}

/** Confines a rendering error to its view: without a boundary, React unmounts the whole window. */
export class ViewBoundary extends Component<ViewBoundaryProps, ViewBoundaryState> {
  override state: ViewBoundaryState = { fault: null, subject: this.props.subject };

  static getDerivedStateFromError(thrown: unknown): Partial<ViewBoundaryState> {
    return { fault: { message: thrown instanceof Error ? thrown.message : String(thrown) } };
  }

  static getDerivedStateFromProps(props: ViewBoundaryProps, state: ViewBoundaryState): ViewBoundaryState | null {
    return props.subject === state.subject ? null : { fault: null, subject: props.subject };
  }

  override render() {
    const { children, onClose } = this.props;
    const { fault } = this.state;
    if (fault === null) return children;
    return (
      <div className={onClose ? 'fixed inset-x-0 top-16 z-40 mx-auto w-120 max-w-full rounded-card bg-surface-raised' : 'min-w-0 flex-1 p-3'}>
        <ErrorBox
          error={{ code: 'internal', message: 'This view cannot be shown.', hint: fault.message }}
          actions={
            <>
              <LinkButton onClick={() => this.setState({ fault: null })}>Reload this view</LinkButton>
              {onClose && <LinkButton onClick={onClose}>Close</LinkButton>}
            </>
          }
        />
      </div>
    );
  }
}
