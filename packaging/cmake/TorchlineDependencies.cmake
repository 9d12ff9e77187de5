# Every third-party package of the project, found in one place. Debian names: see packaging/packages.
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(DW REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(ELF REQUIRED IMPORTED_TARGET libelf)

find_path(ISAL_INCLUDE_DIR isa-l/igzip_lib.h)
find_library(ISAL_LIBRARY isal)
if(ISAL_INCLUDE_DIR AND ISAL_LIBRARY)
    set(TORCHLINE_WITH_ISAL ON)
    add_library(torchline_isal INTERFACE)
    target_include_directories(torchline_isal SYSTEM INTERFACE "${ISAL_INCLUDE_DIR}")
    target_link_libraries(torchline_isal INTERFACE "${ISAL_LIBRARY}")
    target_compile_definitions(torchline_isal INTERFACE TORCHLINE_WITH_ISAL)
else()
    set(TORCHLINE_WITH_ISAL OFF)
endif()

if(TORCHLINE_BUILD_GUI)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets DBus PrintSupport Svg)
endif()
if(TORCHLINE_BUILD_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Test)
    find_package(simdjson QUIET) # an oracle and a peer; run.sh builds without
endif()

# LibTorch, for programs that are recorded: the demo and those of the tests. It is not everywhere; the rest does without.
set(TORCHLINE_TORCH "" CACHE PATH
    "Folder `torch` of an installed wheel: the programs to record are built with it instead of the system's LibTorch")
add_library(torchline_torch INTERFACE)
if(TORCHLINE_TORCH)
    # not by find_package: a wheel's asks for a CUDA toolkit and mixes in the system's libraries
    target_include_directories(torchline_torch SYSTEM INTERFACE
        "${TORCHLINE_TORCH}/include" "${TORCHLINE_TORCH}/include/torch/csrc/api/include")
    target_link_libraries(torchline_torch INTERFACE "${TORCHLINE_TORCH}/lib/libtorch_cpu.so" "${TORCHLINE_TORCH}/lib/libc10.so")
    target_link_options(torchline_torch INTERFACE -Wl,--allow-shlib-undefined)
    set(TORCHLINE_WITH_TORCH ON)
else()
    find_package(Torch QUIET)
    set(TORCHLINE_WITH_TORCH "${Torch_FOUND}")
    if(Torch_FOUND)
        target_include_directories(torchline_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
        target_link_libraries(torchline_torch INTERFACE torch_cpu c10)
    endif()
endif()

# torch_program(TARGET): what a target needs for LibTorch. Its sources are held to fewer warnings: its macros are full of them.
function(torch_program target)
    set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
    target_link_libraries(${target} PRIVATE torchline_torch Threads::Threads)
    target_link_options(${target} PRIVATE -Wl,--no-as-needed)
    target_compile_definitions(${target} PRIVATE NDEBUG) # RecordFunction has one member more without it than in the library
    target_compile_options(${target} PRIVATE -Wall -Wextra $<$<BOOL:${TORCHLINE_WERROR}>:-Werror>)
endfunction()
