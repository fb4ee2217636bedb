"""Runs the pipeline with a worker against the real binary: check.py BINARY COMMAND…"""

import gzip, json, os, signal, subprocess, sys, tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "sdks/conformance"))
from processes import KEY, Server, clean_environment, until


def main(binary: str, command: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="video-") as name:
        folder = Path(name)
        sample = folder / "sample.y4m"
        subprocess.run([sys.executable, str(HERE.parent / "make_sample.py"), str(sample)], check=True)
        server = Server(binary, folder / "server", {})
        environment = clean_environment() | {
            "TRUNKLINE_URL": server.url, "TRUNKLINE_API_KEY": KEY, "VIDEO_OUT": str(folder / "out")}
        try:
            definition = json.loads((HERE.parent / "workflow.json").read_text())
            assert server.call("POST", "/v1/workflows", definition)[0] == 201
            with (folder / "worker.log").open("wb") as log:
                worker = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
            try:
                output = run(server, {"file": str(sample)}, "COMPLETED")["output"]
                missing = run(server, {"file": str(folder / "none.y4m")}, "FAILED")
            except AssertionError as error:
                raise AssertionError(f"{error}\n{(folder / 'worker.log').read_text()[-2000:]}") from None
            finally:
                worker.send_signal(signal.SIGTERM)
                code = worker.wait(30)
            assert code == 0, f"the worker ended with {code}"
            packed = Path(folder / "out" / "sample.y4m.gz").read_bytes()
            assert output["title"] == "160x120, 2 s" or output["title"] == "160x120, 2.0 s", output
            assert gzip.decompress(packed) == sample.read_bytes() and output["bytesOut"] == len(packed)
            assert output["bytesIn"] == sample.stat().st_size and Path(output["published"]).exists()
            assert missing["error"]["node"] == "validate", missing
        finally:
            server.stop()
    print(f"ok  {os.path.basename(command[-1])}")


def run(server: Server, given: dict, status: str) -> dict:
    code, started = server.call("POST", "/v1/executions", {"workflow": "video-pipeline", "input": given})
    assert code == 202, started

    def ended() -> dict | None:
        execution = server.call("GET", f"/v1/executions/{started['id']}")[1]
        return execution if execution["status"] in ("COMPLETED", "FAILED") else None

    execution = until("the execution ends", ended, 60)
    assert execution["status"] == status, execution
    return execution


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
