// An NVRTC that can return wrong numbers: the size of the log and of the cubin, the number of architectures, and a code
// without a name.
#include <string.h>

#ifndef LOG
#define LOG 1
#endif
#ifndef CUBIN
#define CUBIN 4
#endif
#ifndef COUNT
#define COUNT 1
#endif
#ifdef NAME
#define CODE 7
#else
#define CODE 0
#define NAME "a name"
#endif

int nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 0, 0; }
int nvrtcGetNumSupportedArchs(int* count) { return *count = COUNT, 0; }
int nvrtcGetSupportedArchs(int* numbers) { return *numbers = 90, 0; }
int nvrtcCreateProgram(void** program) { return *program = (void*)1, 0; }
int nvrtcCompileProgram() { return CODE; }
int nvrtcDestroyProgram(void** program) { return 0; }
const char* nvrtcGetErrorString(int code) { return (const char*)NAME; }
int nvrtcGetProgramLogSize(void* program, size_t* size) { return *size = LOG, 0; }
int nvrtcGetProgramLog(void* program, char* log) { return *log = 0, 0; }
int nvrtcGetCUBINSize(void* program, size_t* size) { return *size = CUBIN, 0; }
int nvrtcGetCUBIN(void* program, char* cubin) { return memset(cubin, 1, CUBIN > 4 ? 4 : CUBIN), 0; }
int nvrtcGetPTXSize(void* program, size_t* size) { return *size = CUBIN, 0; }
int nvrtcGetPTX(void* program, char* ptx) { return memset(ptx, 1, CUBIN > 4 ? 4 : CUBIN), 0; }
