"""A disk of its own, which can become full."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


class Disk:
    """Lies in memory, and takes of it what is written. Needs the right to mount: see `mounted`."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder, self.size = folder, size

    @classmethod
    def mounted(cls, folder: Path, mebibytes: int) -> Disk | None:
        """A disk of this size on a new folder; nothing where this process may not mount one."""
        folder.mkdir()
        disk = cls(folder, mebibytes << 20)
        command = ["mount", "-t", "tmpfs", "-o", f"size={disk.size}", "trunkline-chaos", str(folder)]
        return disk if subprocess.run(command, check=False, capture_output=True).returncode == 0 else None

    def _resize(self, size: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.folder)], check=False, capture_output=True)

    def fill(self) -> bool:
        """Takes all space that is left, and says whether that worked. The disk is made smaller first: it is large for a long run."""
        self._resize(shutil.disk_usage(self.folder).used + (1 << 20))
        try:
            with (self.folder / "ballast").open("wb") as ballast:
                while True:
                    ballast.write(b"\0" * (1 << 16))
                    ballast.flush()
        except OSError:
            pass
        return shutil.disk_usage(self.folder).free < 1 << 16

    def free(self) -> None:
        """Gives the space back."""
        (self.folder / "ballast").unlink(missing_ok=True)
        self._resize(self.size)

    def unmount(self) -> None:
        """Ends it, with all that is on it."""
        subprocess.run(["umount", str(self.folder)], check=False, capture_output=True)
