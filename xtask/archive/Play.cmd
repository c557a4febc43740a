@echo off
rem Starts the program, and opens its page as soon as it answers.
start "" /b cmd /c "curl.exe --silent --output NUL --retry 30 --retry-delay 1 --retry-connrefused http://127.0.0.1:8019/ && start http://127.0.0.1:8019/"
"%~dp0hotstone.exe" serve
pause
