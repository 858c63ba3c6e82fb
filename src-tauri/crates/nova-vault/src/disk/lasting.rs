//! What makes a file last through a power cut: every file that Nova wrote is synced through here.

use std::io;

pub(crate) trait Lasting {
    /// What the file holds, and what is said of it.
    fn make_last(&self) -> io::Result<()>;

    /// What the file holds, and how long it is.
    fn make_content_last(&self) -> io::Result<()>;
}

macro_rules! lasting {
    ($($file:ty),*) => {$(
        impl Lasting for $file {
            fn make_last(&self) -> io::Result<()> {
                self.sync_all()?;
                #[cfg(all(test, target_os = "linux"))]
                crate::tests::synced::file(self);
                Ok(())
            }

            fn make_content_last(&self) -> io::Result<()> {
                self.sync_data()?;
                #[cfg(all(test, target_os = "linux"))]
                crate::tests::synced::file(self);
                Ok(())
            }
        }
    )*};
}

lasting!(std::fs::File, cap_std::fs::File);
